// What this face shows is read again after something was done.
import { useQueryClient } from '@tanstack/react-query';

/** Servers, synchronizations, exports and imports. */
export function useRefreshOperate(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['operate'] });
}
