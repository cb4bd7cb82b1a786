// The run of an import: a preview that changes nothing, then the rows that will be made, piece by piece. A run that was
// stopped goes on where it stopped: who is there already is skipped by the service.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { UserRow } from './mapping.ts';
import { outcomesOf, piecesOf, type RowOutcome } from './outcome.ts';
import { sendRows } from './send.ts';

const PIECE = 50;

export function useImport() {
  const queries = useQueryClient();
  const [done, setDone] = useState(0);
  const [results, setResults] = useState<ReadonlyMap<number, RowOutcome>>(new Map());
  const preview = useMutation({
    mutationFn: async ({ rows, mayCreate }: { readonly rows: readonly UserRow[]; readonly mayCreate: boolean }) =>
      outcomesOf(rows.length, await sendRows(rows, { isDryRun: true, mayCreate })),
  });
  const run = useMutation({
    async mutationFn({ rows, mayCreate }: { readonly rows: readonly UserRow[]; readonly mayCreate: boolean }) {
      const wanted = rows.flatMap((row, index) =>
        preview.data?.[index]?.outcome === 'create' ? [{ row, index }] : [],
      );
      const known = new Map(results);
      const pieces = piecesOf(wanted, PIECE).filter(({ rows: piece }) => piece.some(({ index }) => !known.has(index)));
      for (const [order, piece] of pieces.entries()) {
        const sent = piece.rows.map(({ row }) => row);
        const isAgain = order === 0 && run.isError;
        const outcomes = outcomesOf(sent.length, await sendRows(sent, { isDryRun: false, mayCreate }));
        for (const [place, { index }] of piece.rows.entries()) {
          const outcome = outcomes[place] ?? { outcome: 'faulty', messages: [] };
          // Of a piece whose answer was lost, who is there now was made by it.
          known.set(index, isAgain && outcome.outcome === 'skip' ? { outcome: 'create', messages: [] } : outcome);
        }
        setResults(new Map(known));
        setDone((before) => before + piece.rows.length);
      }
      return known;
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['users'] }),
  });
  const reset = () => {
    preview.reset();
    run.reset();
    setDone(0);
    setResults(new Map());
  };
  return { preview, run, done, results, reset };
}
