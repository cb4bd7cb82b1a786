// A screen: its heading, which is also the title of the window, and its content.
import type { ReactNode } from 'react';
import { Loading } from './loading.tsx';
import { useWhole } from './whole.ts';

interface PageProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function Page({ title, children }: PageProps) {
  const isWhole = useWhole();
  return (
    <>
      <title>{`${title} – Kedja`}</title>
      <h1>{title}</h1>
      {!isWhole && (
        <div className="over">
          <Loading />
        </div>
      )}
      <div className="parts" data-whole={isWhole}>
        {children}
      </div>
    </>
  );
}

/** A list without entries: what that means, and what can be done. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return <div className="card quiet">{children}</div>;
}
