// Adds to the library: once, however often the button is pressed, and the lists are read anew.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { postJson } from '../../api/fhir.ts';

/** @param path of the engine, such as `/goals` */
export function useAdd<Body extends object>(path: (body: Body) => string, onAdded: () => void) {
  const queries = useQueryClient();
  const key = useRef(crypto.randomUUID());
  return useMutation({
    mutationFn: (body: Body) => postJson(`/engine/api/v1${path(body)}`, body, key.current),
    onSettled: () => {
      key.current = crypto.randomUUID();
    },
    onSuccess: async () => {
      onAdded();
      await queries.invalidateQueries({ queryKey: ['library'] });
    },
  });
}
