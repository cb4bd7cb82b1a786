// Users, one of them, and what a deletion would touch.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { identity, read } from '../../api/clients.ts';
import type { IdentityShapes } from '../../api/shapes.ts';

export const TYPES = ['professional', 'patient'] as const;
export const STATES = ['active', 'blocked', 'merged', 'su_admin'] as const;
export const PER_PAGE = 25;

export interface UserFilter {
  readonly search?: string;
  readonly user_type?: (typeof TYPES)[number];
  readonly state?: (typeof STATES)[number];
  readonly page?: number;
}

export function useUsers(filter: UserFilter, perPage = PER_PAGE) {
  const query = { ...filter, per_page: perPage };
  return useQuery({
    queryKey: ['users', query],
    queryFn: () => read(identity.GET('/api/admin/user-search', { params: { query } })),
    placeholderData: keepPreviousData,
  });
}

export type ListedUser = IdentityShapes['User'];

export function ofUser(guid: string) {
  return { params: { path: { user_guid: guid } } };
}

export function useUser(guid: string) {
  return useQuery({
    queryKey: ['user', guid],
    queryFn: () => read(identity.GET('/api/admin/users/{user_guid}', ofUser(guid))),
  });
}

export type User = IdentityShapes['UserDetails'];

export function useDeletion(guid: string) {
  return useQuery({
    queryKey: ['user-deletion', guid],
    queryFn: () => read(identity.GET('/api/admin/users/{user_guid}/deletion', ofUser(guid))),
    staleTime: 0,
  });
}

export function useMergePreview(guid: string, into: string | undefined) {
  return useQuery({
    queryKey: ['user-merge', guid, into],
    queryFn: () =>
      read(
        identity.GET('/api/admin/users/{user_guid}/merge', {
          params: { path: { user_guid: guid }, query: { into_user_guid: into ?? '' } },
        }),
      ),
    enabled: into !== undefined,
    retry: false,
  });
}
