// Entries of a list that are moved by dragging a handle. Buttons do the same for the keyboard and for fingers.
import { type DragEvent, useState } from 'react';

export type Side = 'before' | 'after';

interface Over {
  readonly id: string;
  readonly side: Side;
}

export interface Reorder {
  /** Of the handle. Within the element of `rowProps`, which is seen while it is dragged. */
  handleProps(id: string): {
    readonly draggable: true;
    readonly onDragStart: (event: DragEvent) => void;
    readonly onDragEnd: () => void;
  };
  /** Of what something is dropped on. */
  rowProps(id: string): {
    readonly 'data-drop': Side | undefined;
    readonly 'data-dragged': '' | undefined;
    readonly onDragOver: (event: DragEvent) => void;
    readonly onDrop: (event: DragEvent) => void;
  };
}

/** @param onDrop called with what was dragged, and with what it was dropped on: on its upper or lower half */
export function useReorder(onDrop: (dragged: string, target: string, side: Side) => void): Reorder {
  const [dragged, setDragged] = useState<string>();
  const [over, setOver] = useState<Over>();
  const end = () => {
    setDragged(undefined);
    setOver(undefined);
  };
  return {
    handleProps: (id) => ({
      draggable: true,
      onDragStart: (event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', id);
        const row = event.currentTarget.parentElement;
        if (row !== null) event.dataTransfer.setDragImage(row, 0, 0);
        setDragged(id);
      },
      onDragEnd: end,
    }),
    rowProps: (id) => ({
      'data-drop': over?.id === id && dragged !== id ? over.side : undefined,
      'data-dragged': dragged === id ? '' : undefined,
      onDragOver: (event) => {
        // What is dragged in from elsewhere is none of ours.
        if (dragged === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        const side = sideOf(event);
        if (over?.id !== id || over.side !== side) setOver({ id, side });
      },
      onDrop: (event) => {
        if (dragged === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        if (dragged !== id) onDrop(dragged, id, sideOf(event));
        end();
      },
    }),
  };
}

/** The list with one entry put before or after another. */
export function reordered(ids: readonly string[], dragged: string, target: string, side: Side): string[] {
  const others = ids.filter((id) => id !== dragged);
  const index = others.indexOf(target);
  return index === -1 ? [...ids] : others.toSpliced(index + (side === 'after' ? 1 : 0), 0, dragged);
}

function sideOf({ clientY, currentTarget }: DragEvent): Side {
  const { top, height } = currentTarget.getBoundingClientRect();
  return clientY > top + height / 2 ? 'after' : 'before';
}
