// A setting as the examples of all services show it.
export const SETTING = {
  name: 'KEDJA_RATE_LIMIT_LOGIN',
  section: 'Identity',
  meaning: 'Sign-ins per minute and address.',
  type: 'integer',
  is_secret: false,
  is_set: true,
  value: '40',
  source: 'environment',
  default: '20',
  when_unset: null,
};
