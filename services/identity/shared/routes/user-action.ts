// Routes by which an SU admin changes one user, such as `POST /api/admin/users/{user_guid}/block`.
import type { ErrorCode } from '#lib/errors.ts';
import type { ApiRoutes } from '#lib/http/api-routes.ts';
import { type Actor, actorOf } from '../../actor.ts';
import { UserChanged, UserParams } from './schema.ts';

interface UserAction {
  readonly method: 'post' | 'delete';
  /** Below `/api/admin/users/{user_guid}`; empty for the user's own address. */
  readonly path: `/${string}` | '';
  readonly summary: string;
  readonly errors: readonly ErrorCode[];
  /** Errors are those of the service. */
  readonly run: (actor: Actor, userGuid: string) => Promise<unknown>;
  /** What the response says. */
  readonly message: string;
}

export function registerUserAction(
  routes: ApiRoutes,
  { method, path, summary, errors, run, message }: UserAction,
): void {
  routes[method](
    `/api/admin/users/:user_guid${path}`,
    summary,
    { config: { errors }, schema: { params: UserParams, response: { 200: UserChanged } } },
    async (request) => {
      const { user_guid } = request.params;
      await run(actorOf(request), user_guid);
      return { message, user_guid };
    },
  );
}
