// That what was typed is kept in the tab, and how it is given up.
import type { Draft } from './use-draft.ts';

interface KeptDraftProps {
  readonly draft: Draft;
  readonly text: string;
  /** On the button. */
  readonly dropLabel: string;
}

export function KeptDraft({ draft, text, dropLabel }: KeptDraftProps) {
  if (!draft.isChanged) return null;
  return (
    <p className="row">
      <span className="quiet">{text}</span>
      <button type="button" className="plain-button" onClick={draft.drop}>
        {dropLabel}
      </button>
    </p>
  );
}
