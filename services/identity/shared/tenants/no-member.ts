// The error of an account that may not use the tenant of the address.
import { ServiceError } from '#lib/errors.ts';

/** Pages say it in the reader's language. */
export class NoMember extends ServiceError {
  readonly userGuid: string;

  constructor(userGuid: string) {
    super('forbidden', 'This account is not for this tenant');
    this.userGuid = userGuid;
  }
}
