// A list that may have thousands of entries. It is made in pieces, and only those near the view are on the page. The
// others keep their height, so that the list scrolls as a whole one.
import { type ReactNode, useEffect, useRef, useState } from 'react';

interface LongListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  /** What an entry is about as high as, in pixels, before it has been shown. */
  readonly entryHeight: number;
  readonly keyOf: (item: Item) => string | number;
  readonly children: (item: Item) => ReactNode;
}

const PIECE = 50;
/** How far outside of the view a piece is made: half a second of quick scrolling. */
const NEAR = '1500px 0px';

export function LongList<Item>({ label, items, entryHeight, keyOf, children }: LongListProps<Item>) {
  const starts = Array.from({ length: Math.ceil(items.length / PIECE) }, (_, index) => index * PIECE);
  return (
    // A list whose entries are in pieces cannot be a `ul`.
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div role="list" aria-label={label}>
      {starts.map((start) => {
        const own = items.slice(start, start + PIECE);
        return (
          <Piece key={start} isFirst={start === 0} height={own.length * entryHeight}>
            {() =>
              own.map((item, index) => (
                // biome-ignore lint/a11y/useSemanticElements: see above
                <div
                  key={keyOf(item)}
                  role="listitem"
                  className="card"
                  aria-setsize={items.length}
                  aria-posinset={start + index + 1}
                >
                  {children(item)}
                </div>
              ))
            }
          </Piece>
        );
      })}
    </div>
  );
}

interface PieceProps {
  readonly isFirst: boolean;
  readonly height: number;
  readonly children: () => ReactNode;
}

interface PieceState {
  readonly isNear: boolean;
  /** As it was when it was shown last. */
  readonly height?: number;
}

function Piece({ isFirst, height, children }: PieceProps) {
  const element = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<PieceState>({ isNear: isFirst });
  useEffect(() => {
    const piece = element.current;
    if (piece === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        const isNear = entries.at(-1)?.isIntersecting === true;
        // The focus is never lost to scrolling.
        if (isNear) setState({ isNear });
        else if (!piece.contains(document.activeElement)) setState({ isNear, height: piece.offsetHeight });
      },
      { rootMargin: NEAR },
    );
    observer.observe(piece);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={element} className="list-piece" style={state.isNear ? undefined : { height: state.height ?? height }}>
      {state.isNear && children()}
    </div>
  );
}
