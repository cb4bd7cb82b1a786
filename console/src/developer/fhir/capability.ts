// What a service serves, from its CapabilityStatement, and how many resources there are of each type.
import { useQueries, useQuery } from '@tanstack/react-query';
import type { CapabilityStatement, CapabilityStatementRestResource } from 'fhir/r5';
import { engine, read } from '../../api/clients.ts';
import { getJson } from '../../api/fhir.ts';
import { baseOf, type ServiceName } from './services.ts';

export type ServedType = CapabilityStatementRestResource;

export interface Served {
  readonly types: readonly ServedType[];
  /** Parameters of all types, such as `_lastUpdated`. */
  readonly common: readonly SearchParameter[];
}

export interface SearchParameter {
  readonly name: string;
  readonly type: string;
  readonly documentation?: string | undefined;
}

export function useServed(service: ServiceName) {
  return useQuery({
    queryKey: ['capability', service],
    queryFn: async (): Promise<Served> => {
      const statement = (await getJson(`${baseOf(service)}/metadata`)) as CapabilityStatement;
      const [rest] = statement.rest ?? [];
      return { types: rest?.resource ?? [], common: rest?.searchParam ?? [] };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** All parameters of a type, its own first, each group by name. */
export function parametersOf({ types, common }: Served, type: string): readonly SearchParameter[] {
  const own = types.find((each) => each.type === type)?.searchParam ?? [];
  const byName = (a: SearchParameter, b: SearchParameter) => (a.name < b.name ? -1 : 1);
  const names = new Set(own.map(({ name }) => name));
  return [...[...own].sort(byName), ...common.filter(({ name }) => !names.has(name)).sort(byName)];
}

export function serves(type: ServedType | undefined, interaction: string): boolean {
  return type?.interaction?.some(({ code }) => code === interaction) ?? false;
}

/** By type; without those that cannot be counted or that the reader may not count. */
export function useCounts(service: ServiceName, types: readonly ServedType[]): ReadonlyMap<string, number> {
  const status = useQuery({
    queryKey: ['status-counts'],
    queryFn: async () => (await read(engine.GET('/api/v1/status'))).counts,
    enabled: service === 'engine',
    retry: false,
  });
  const searched = service === 'engine' ? [] : types.filter((type) => serves(type, 'search-type'));
  const counted = useQueries({
    queries: searched.map(({ type }) => ({
      queryKey: ['count', service, type],
      queryFn: async () => {
        const bundle = await getJson(`${baseOf(service)}/${type}?_summary=count`);
        return [type, (bundle as { total?: number }).total ?? 0] as const;
      },
      retry: false,
    })),
  });
  const here =
    service === 'engine' ? Object.entries(status.data ?? {}) : counted.flatMap(({ data }) => (data ? [data] : []));
  return new Map<string, number>(here);
}
