// The error texts of the access-request form, per field and in the order of the page.
import {
  type FieldTexts,
  NEW_EMAIL_TEXTS,
  NEW_PASSWORD_TEXTS,
  REPEATED_PASSWORD_TEXTS,
} from '../shared/form-problem.ts';

export const REQUEST_FIELDS = {
  first_name: {
    missing: { sv: 'Fyll i ditt förnamn.', en: 'Enter your first name.' },
    invalid: {
      sv: 'Förnamnet går inte att läsa eller är för långt.',
      en: 'The first name cannot be read or is too long.',
    },
  },
  last_name: {
    missing: { sv: 'Fyll i ditt efternamn.', en: 'Enter your last name.' },
    invalid: {
      sv: 'Efternamnet går inte att läsa eller är för långt.',
      en: 'The last name cannot be read or is too long.',
    },
  },
  email: {
    ...NEW_EMAIL_TEXTS,
    taken: {
      sv: 'E-postadressen är redan registrerad, eller så väntar en begäran med den på beslut.',
      en: 'The e-mail address is already registered, or a request with it awaits a decision.',
    },
  },
  professional_role: {
    missing: { sv: 'Välj din roll.', en: 'Choose your role.' },
    invalid: { sv: 'Välj en av rollerna.', en: 'Choose one of the roles.' },
  },
  requested_phases: {
    missing: { sv: 'Välj bland delarna här.', en: 'Choose among these parts.' },
    invalid: { sv: 'Välj bland delarna här.', en: 'Choose among these parts.' },
  },
  password: NEW_PASSWORD_TEXTS,
  password_again: REPEATED_PASSWORD_TEXTS,
} as const satisfies Record<string, FieldTexts>;
