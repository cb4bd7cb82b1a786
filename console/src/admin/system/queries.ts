// What runs and how it is set up: the settings of each service, and the registry of services.
import { useQuery } from '@tanstack/react-query';
import { dispatch, engine, identity, read } from '../../api/clients.ts';
import type { EngineShapes, IdentityShapes } from '../../api/shapes.ts';
import { currentLanguage } from '../../i18n/i18n.ts';
import { inWords } from './words.ts';

export const SETTING_SERVICES = ['identity', 'dispatch', 'engine'] as const;
export const SOURCES = ['environment', 'env_file', 'secret_file', 'default', 'unset'] as const;

type SettingService = (typeof SETTING_SERVICES)[number];

/** @throws Problem, UnreachableError */
export function readSettings(service: SettingService, signal?: AbortSignal) {
  const options = signal === undefined ? {} : { signal };
  switch (service) {
    case 'identity':
      return read(identity.GET('/api/admin/settings', options));
    case 'dispatch':
      return read(dispatch.GET('/api/v1/settings', options));
    case 'engine':
      return read(engine.GET('/api/v1/settings', options));
    default:
      return service satisfies never;
  }
}

export type Setting = EngineShapes['Setting'];

export function useSettings(service: SettingService) {
  const language = currentLanguage();
  return useQuery({
    queryKey: ['settings', service, language],
    queryFn: async () => {
      const { reference, settings } = await readSettings(service);
      return { reference, settings: await inWords(settings, language) };
    },
  });
}

export type WordedSetting = NonNullable<ReturnType<typeof useSettings>['data']>['settings'][number];

/** The registered services, and the tag of what was read: a change of somebody else since is not overwritten. */
export function useRegistry() {
  return useQuery({
    queryKey: ['service-registry'],
    queryFn: async () => {
      const answer = await identity.GET('/api/admin/oath-overview');
      const rows = await read(Promise.resolve(answer));
      if (typeof rows === 'string') throw new TypeError('The registry is read as JSON');
      return { rows, tag: answer.response.headers.get('etag') ?? undefined };
    },
  });
}

export type Registry = NonNullable<ReturnType<typeof useRegistry>['data']>;
export type RegisteredService = IdentityShapes['RegisteredService'];
