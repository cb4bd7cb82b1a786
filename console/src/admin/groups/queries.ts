// The groups that one administers, their members and invites.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { identity, read } from '../../api/clients.ts';
import type { IdentityShapes } from '../../api/shapes.ts';

export const GROUP_TYPES = ['team', 'phase', 'organisation', 'quality_registry'] as const;
export const PER_PAGE = 25;

interface GroupFilter {
  readonly search?: string;
  readonly group_type?: (typeof GROUP_TYPES)[number];
  readonly page?: number;
}

export function useGroups(filter: GroupFilter) {
  const query = { ...filter, per_page: PER_PAGE };
  return useQuery({
    queryKey: ['groups', query],
    queryFn: () => read(identity.GET('/api/groups/admin/groups', { params: { query } })),
    placeholderData: keepPreviousData,
  });
}

export function ofGroup(guid: string) {
  return { params: { path: { group_guid: guid } } };
}

export function useGroup(guid: string) {
  return useQuery({
    queryKey: ['group', guid],
    queryFn: () => read(identity.GET('/api/groups/admin/groups/{group_guid}', ofGroup(guid))),
  });
}

export type Group = IdentityShapes['AdministeredGroup'];

interface MemberFilter {
  readonly search?: string;
  readonly page?: number;
}

export function useMembers(guid: string, filter: MemberFilter) {
  const query = { ...filter, per_page: PER_PAGE };
  return useQuery({
    queryKey: ['group-members', guid, query],
    queryFn: () =>
      read(
        identity.GET('/api/groups/admin/groups/{group_guid}/members', {
          params: { path: { group_guid: guid }, query },
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

export type Member = IdentityShapes['GroupMember'];

export function useInvites(guid: string) {
  return useQuery({
    queryKey: ['group-invites', guid],
    queryFn: () => read(identity.GET('/api/groups/admin/groups/{group_guid}/invites', ofGroup(guid))),
  });
}
