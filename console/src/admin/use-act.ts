// Something that is done by a press of a button, and what is read again afterwards.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { isChangedSince } from '../api/problem.ts';
import { useRequestKey } from '../app/request-key.ts';

interface ActOptions<Result> {
  /** Of what is made, with the record that it is made for, where `send` uses the key. */
  readonly name?: string;
  /** The first parts of the keys of the queries that have changed. */
  readonly changes: readonly string[];
  readonly onDone?: (result: Result) => void;
}

/** `send` gets the Idempotency-Key of its value: a press after a lost connection does nothing twice. */
export function useAct<Result, Value = void>(
  send: (value: Value, key: string) => Promise<Result>,
  { name = '', changes, onDone }: ActOptions<Result>,
) {
  const queries = useQueryClient();
  const key = useRequestKey(name);
  const readAgain = () => Promise.all(changes.map((each) => queries.invalidateQueries({ queryKey: [each] })));
  return useMutation<Result, Error, Value>({
    mutationFn: (value) => send(value, key.of(value ?? null)),
    onSettled: (_result, error) => key.settled(error),
    // The act says that it failed once the record is shown as it is now: repeated, it is about that.
    async onError(error) {
      if (isChangedSince(error)) await readAgain();
    },
    async onSuccess(result) {
      onDone?.(result);
      await readAgain();
    },
  });
}
