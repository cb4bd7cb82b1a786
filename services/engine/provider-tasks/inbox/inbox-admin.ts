// Opens and closes a provider's inbox (decision E10). It registers the webhook URL at dispatch, and stores dispatch's
// secret sealed.

import type { DispatchClient } from '#clients/dispatch-client.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { notFound, validationError } from '#lib/errors.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { ProviderService } from '../../providers/service.ts';
import type { Inbox } from '../schema.ts';
import { findInbox, putInbox } from './inbox-store.ts';

export interface InboxChange {
  readonly enabled: boolean;
  /** Also of an inbox that has a secret: dispatch can no longer read it, or the engine cannot. */
  readonly renewsSecret: boolean;
}

export interface InboxAdmin {
  /**
   * @throws ServiceError `not_found`; `validation` when the secret of an inbox is to be renewed that is not open then;
   * `upstream_unavailable`, and then nothing is changed here
   */
  setEnabled(providerId: string, change: InboxChange, principal: Principal): Promise<Inbox>;
}

export interface InboxAdminDependencies extends WriteDependencies {
  readonly dispatch: DispatchClient;
  readonly sealer: Sealer;
  readonly providers: ProviderService;
  /** The URL at which dispatch reaches the engine, with `/api/v1`. */
  readonly baseUrl: string;
}

const RENEWED_WHERE_OPEN = "'renew_secret' needs 'enabled': true, as the secret of a closed inbox is not renewed";

export function createInboxAdmin(deps: InboxAdminDependencies): InboxAdmin {
  const { database, clock, audit, dispatch, sealer, providers, baseUrl } = deps;

  /** Returns the secret of a new endpoint; a new secret when the stored one is lost or was never stored. */
  async function register(providerGuid: string, { enabled, renewsSecret }: InboxChange): Promise<string | undefined> {
    const url = `${baseUrl}/provider-tasks/inbox?provider_guid=${providerGuid}`;
    const outcome = await dispatch.putEndpoint(providerGuid, { url, enabled });
    if (outcome !== undefined || !enabled) return outcome;
    const known = await findInbox(database, providerGuid);
    const isLost = renewsSecret || known?.secret_sealed == null;
    return isLost ? dispatch.rotateSecret(providerGuid) : undefined;
  }

  return {
    async setEnabled(providerId, change, principal) {
      const { enabled, renewsSecret } = change;
      if (renewsSecret && !enabled) throw validationError([{ field: 'renew_secret', message: RENEWED_WHERE_OPEN }]);
      const { provider_guid: providerGuid } = await providers.get(providerId);
      const known = await findInbox(database, providerGuid);
      const isNeeded = enabled || known !== undefined;
      const secret = isNeeded ? await register(providerGuid, change) : undefined;
      return database.transaction(async (tx) => {
        const secretSealed = secret === undefined ? undefined : sealer.seal(secret, providerGuid);
        const inbox = await putInbox(tx, providerGuid, { enabled, secretSealed }, new Date(clock.now()));
        if (inbox === undefined) throw notFound('Provider');
        const event = enabled ? 'provider-inbox.open' : 'provider-inbox.close';
        await audit.record(tx, { action: 'U', event, principal, entities: [`provider:${providerGuid}`] });
        return inbox;
      });
    },
  };
}
