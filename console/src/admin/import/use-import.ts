// The run of an import: a preview that changes nothing, then the rows that will be made, piece by piece. A run that was
// stopped goes on where it stopped: who is there already is skipped by the service. What has been made is kept in the
// tab, and outlives a reload.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dropKept, keep, readKept } from '../../app/kept.ts';
import type { UserRow } from './mapping.ts';
import { outcomesOf, piecesOf, type RowOutcome } from './outcome.ts';
import { sendRows } from './send.ts';

const PIECE = 50;
const NAME = 'import-run';

interface Run {
  /** By the row's place in the file. */
  readonly known: readonly (readonly [number, RowOutcome])[];
  /** The places of the piece that was sent last. */
  readonly sent: readonly number[];
  /** Of every row, once all is done. */
  readonly result?: readonly RowOutcome[];
}

const NOTHING: Run = { known: [], sent: [] };
const CREATED: RowOutcome = { outcome: 'create', messages: [] };

interface Work {
  readonly rows: readonly UserRow[];
  readonly mayCreate: boolean;
}

export function useImport() {
  const queries = useQueryClient();
  const [state, setState] = useState(readRun);
  const put = (next: Run) => {
    setState(next);
    keep(NAME, JSON.stringify(next));
  };
  const preview = useMutation({
    mutationFn: async ({ rows, mayCreate }: Work) =>
      outcomesOf(rows.length, await sendRows(rows, { isDryRun: true, mayCreate })),
    onSuccess: (outcomes) => {
      const before = readRun();
      const known = new Map(before.known);
      // Who is there now of a piece whose answer was lost was made by it.
      for (const place of before.sent)
        if (!known.has(place) && outcomes[place]?.outcome === 'skip') known.set(place, CREATED);
      if (known.size > 0) put({ known: [...known], sent: [] });
    },
  });
  const run = useMutation({
    async mutationFn({ rows, mayCreate }: Work) {
      const previewed = preview.data ?? [];
      const wanted = rows.flatMap((row, index) => (previewed[index]?.outcome === 'create' ? [{ row, index }] : []));
      const before = readRun();
      const known = new Map(before.known);
      for (const piece of piecesOf(wanted, PIECE)) {
        if (piece.rows.every(({ index }) => known.has(index))) continue;
        const places = piece.rows.map(({ index }) => index);
        const isAgain = before.sent.join() === places.join();
        put({ known: [...known], sent: places });
        const outcomes = outcomesOf(
          places.length,
          await sendRows(
            piece.rows.map(({ row }) => row),
            { isDryRun: false, mayCreate },
          ),
        );
        for (const [at, place] of places.entries()) {
          const outcome = outcomes[at] ?? { outcome: 'faulty', messages: [] };
          known.set(place, isAgain && outcome.outcome === 'skip' ? CREATED : outcome);
        }
        put({ known: [...known], sent: [] });
      }
      put({ known: [], sent: [], result: previewed.map((outcome, place) => known.get(place) ?? outcome) });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['users'] }),
  });
  const reset = () => {
    preview.reset();
    run.reset();
    setState(NOTHING);
    dropKept(NAME);
  };
  const places = (preview.data ?? []).flatMap(({ outcome }, place) => (outcome === 'create' ? [place] : []));
  const all = new Set([...places, ...state.known.map(([place]) => place)]);
  return { preview, run, done: state.known.length, all: all.size, result: state.result, reset };
}

/** Written by this code alone. */
function readRun(): Run {
  const kept = readKept(NAME);
  return kept === undefined ? NOTHING : (JSON.parse(kept) as Run);
}
