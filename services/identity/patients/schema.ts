// The schema of a registration, for JSON and for the form (contract: identity, Patient).
import Type from 'typebox';
import { Email } from '#lib/auth/email.ts';
import { GuidText } from '../text.ts';

export const RegisterBody = Type.Object(
  {
    email: Email,
    password: Type.String({ minLength: 8, maxLength: 1024 }),
    personnummer: Type.String({ maxLength: 20, description: 'Personal or coordination number, 10 or 12 digits' }),
    organisation_guid: GuidText,
  },
  { title: 'PatientRegistration', additionalProperties: false },
);
