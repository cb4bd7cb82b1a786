// Who is signed in, and what they may do: the access blob of identity.
import { useQuery } from '@tanstack/react-query';
import { identity, read } from '../api/clients.ts';

const FRESH_MS = 5 * 60_000;

export function readMe() {
  return read(identity.GET('/api/auth/me'));
}

export type Me = Awaited<ReturnType<typeof readMe>>;

export function useMe() {
  return useQuery({
    queryKey: ['me'],
    queryFn: readMe,
    staleTime: FRESH_MS,
    // Another tab of the browser may have become another person's.
    refetchOnWindowFocus: 'always',
  });
}
