// The address of a service's settings, the same at each (docs/adr/0107).
import type { Permission } from '../auth/permissions.ts';
import { SETTINGS_REFERENCE, type Setting, Settings } from '../config/settings.ts';
import { apiRoutes } from '../http/api-routes.ts';
import type { HttpApp } from '../http/http-app.ts';

interface SettingsRoute {
  readonly path: string;
  readonly tag: string;
  readonly permission: Permission;
  readonly settings: readonly Setting[];
}

export function registerSettings(app: HttpApp, { path, tag, permission, settings }: SettingsRoute): void {
  apiRoutes(app, { tags: [tag], permission }).get(
    path,
    'The settings of this service: value, source and meaning; of secrets only whether they are set',
    { schema: { response: { 200: Settings } } },
    async () => ({ reference: SETTINGS_REFERENCE, settings: [...settings] }),
  );
}
