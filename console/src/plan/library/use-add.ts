// Adds to the library: once, however often the button is pressed, and the lists are read again.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { postJson } from '../../api/fhir.ts';
import { useRequestKey } from '../../app/request-key.ts';

/** @param path of the engine, such as `/goals` */
export function useAdd<Body extends object>(path: string, onAdded: () => void) {
  const queries = useQueryClient();
  const key = useRequestKey(`add-${path}`);
  return useMutation({
    mutationFn: (body: Body) => postJson(`/engine/api/v1${path}`, body, key.of(body)),
    onSettled: (_, error) => key.settled(error),
    onSuccess: async () => {
      onAdded();
      await queries.invalidateQueries({ queryKey: ['library'] });
    },
  });
}
