// What the built console renders at the gateway (console/src/server/render.tsx, docs/adr/0130).

export type FirstView = { readonly redirect: string } | RenderedView;

/** The parts of a page with a first view. */
export interface RenderedView {
  /** HTML of the title, for the head. */
  readonly title: string;
  /** Rules of a style sheet. */
  readonly styles: string;
  readonly html: string;
  /** What was read, as JSON that may be in a script element. */
  readonly state: string;
}
