// Values that are being typed and sent. They are kept in the tab until all have arrived. Each value is a report of its
// own, under a key of its own: sent again after a lost connection none is stored twice.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Observation } from 'fhir/r5';
import { postJson } from '../../api/fhir.ts';
import { isRefusal } from '../../app/request-key.ts';
import { useKeptForm } from '../../app/use-kept.ts';
import { type Filled, startOf } from '../../forms/filled.ts';
import type { FormItem } from '../../forms/form.ts';
import { type Measure, reportsOf } from './measures.ts';
import { KEPT_VALUES, NOTHING, remaining, type Sent, type Typed } from './sent.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** What the reader has done with values a moment ago. */
    doneWithValues?: 'sent' | 'removed';
  }
}

export function useReport(measures: readonly Measure[], items: readonly FormItem[]) {
  const [typed, change, drop] = useKeptForm<Typed>(KEPT_VALUES, NOTHING);
  const filled = typed.filled ?? startOf(items);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const send = useMutation({
    mutationFn: async () => {
      const now = typed.now ?? new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      let sent = typed.sent;
      const put = (id: string, next: Sent | undefined) => {
        const { [id]: _, ...others } = sent;
        sent = next === undefined ? others : { ...others, [id]: next };
        change({ now, sent });
      };
      for (const { id, key, report } of remaining(reportsOf(measures, { items, filled, now }), sent)) {
        const body = JSON.stringify(report);
        put(id, { key, body, hasArrived: false });
        try {
          await postJson<Observation>('/engine/api/v1/Observation', report, key);
        } catch (error) {
          // A refusal stored nothing: the next one is another report.
          if (error instanceof Error && isRefusal(error)) put(id, undefined);
          throw error;
        }
        put(id, { key, body, hasArrived: true });
      }
    },
    onSuccess: async () => {
      drop();
      await navigate({ to: '/my/values', state: { doneWithValues: 'sent' } });
    },
    // Some may have arrived before another one failed.
    onSettled: () => queries.invalidateQueries({ queryKey: ['observations'] }),
  });
  const arrived = Object.values(typed.sent).filter(({ hasArrived }) => hasArrived).length;
  return { filled, arrived, send, change: (next: Filled) => change({ filled: next }) };
}
