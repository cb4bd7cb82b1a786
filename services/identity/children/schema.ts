// The body that registers a child, for JSON and for the form of the page of guardians.
import Type from 'typebox';
import { closed } from '../shared/routes/schema.ts';
import { GuidText, nameText } from '../text.ts';

export const ChildBody = Type.Object(
  {
    personnummer: Type.String({ maxLength: 20, description: 'Personal or coordination number, 10 or 12 digits' }),
    first_name: nameText(100),
    last_name: nameText(100),
    organisation_guid: GuidText,
  },
  { ...closed, title: 'ChildRegistration' },
);
