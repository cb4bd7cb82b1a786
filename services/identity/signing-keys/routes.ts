// GET /.well-known/jwks.json: the public keys (RFC 7517), with which every service verifies tokens without a call
// (decision I1).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { SigningKeys } from './service.ts';

const KeySet = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.String(),
      kid: Type.String(),
      alg: Type.String(),
      use: Type.String(),
      n: Type.String(),
      e: Type.String(),
    }),
  ),
});

export function registerKeyRoutes(app: HttpApp, keys: SigningKeys): void {
  const routes = apiRoutes(app, { tags: ['auth'], permission: 'public' });
  routes.get(
    '/.well-known/jwks.json',
    'Public keys that verify tokens',
    { config: { caching: 'for-a-minute' }, schema: { response: { 200: KeySet } } },
    async () => {
      const { keys: published } = await keys.load();
      return {
        keys: published.map(({ kty = '', kid = '', alg = '', use = '', n = '', e = '' }) => ({
          kty,
          kid,
          alg,
          use,
          n,
          e,
        })),
      };
    },
  );
}
