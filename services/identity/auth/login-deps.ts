// The dependencies of the sign-in routes.
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import type { Browsers } from '../shared/browser.ts';
import type { Destinations } from '../shared/destinations.ts';
import type { AuthService } from './service.ts';

export interface LoginRoutesDeps {
  readonly auth: AuthService;
  /** The minimum length of the password of professionals without a second factor. */
  readonly staffLength: number;
  /** Whether patients register themselves: the sign-in page then links to the registration. */
  readonly isRegistrationOpen: boolean;
  readonly limiter: RateLimiter;
  readonly destinations: Destinations;
  readonly browsers: Browsers;
}
