// The text of a resource that is being edited, kept in the tab with the version that it was made from.
import { useKept } from '../../app/use-kept.ts';

export interface Draft {
  readonly text: string;
  /** The ETag of the version that it was made from. */
  readonly base: string;
  readonly isChanged: boolean;
  change(text: string): void;
  /** It is now meant to replace another version. */
  rebase(base: string): void;
  drop(): void;
}

/** @param name of what is edited; @param start and `etag` the text and version that are stored */
export function useTextDraft(name: string, start: string, etag: string): Draft {
  const [kept, keep, drop] = useKept(`text-${name}`, `${etag}\n${start}`);
  const at = kept.indexOf('\n');
  const [base, text] = [kept.slice(0, at), kept.slice(at + 1)];
  return {
    text,
    base,
    isChanged: text !== start,
    change: (next) => keep(`${base}\n${next}`),
    rebase: (next) => keep(`${next}\n${text}`),
    drop,
  };
}
