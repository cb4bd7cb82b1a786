// A screen: its heading, which is also the title of the window, and its content.
import type { ReactNode } from 'react';

interface PageProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function Page({ title, children }: PageProps) {
  return (
    <>
      <title>{`${title} – Kedja`}</title>
      <h1>{title}</h1>
      {children}
    </>
  );
}

/** A list without entries: what that means, and what can be done. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return <div className="card quiet">{children}</div>;
}
