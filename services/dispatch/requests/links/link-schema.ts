// The wire shapes of the link to the receipt page (docs/adr/0071).
import Type from 'typebox';
import { Email } from '#lib/auth/email.ts';
import { LinkMailWire } from '../../shared/link-mail.ts';
import { Moment, nullable } from '../../shared/wire.ts';

export const LinkInput = Type.Object(
  {
    email: Type.Optional(
      Type.String({ ...Email, description: 'Where the link is sent; the mail has no data of the patient' }),
    ),
    language: Type.Optional(Type.Enum(['sv', 'en'], { default: 'sv', description: 'Of the mail' })),
    qr: Type.Optional(Type.Boolean({ default: false, description: 'Whether to return the link as a QR code, too' })),
  },
  { additionalProperties: false },
);

export const NewLinkView = Type.Object(
  {
    link: Type.String({ description: 'Who has it may answer for the provider; it is shown this once' }),
    qr_svg: Type.Optional(Type.String({ description: 'The link as a QR code: an SVG document' })),
    is_mailed: Type.Boolean({ description: 'Whether a mail with it is under way' }),
  },
  { title: 'NewLink' },
);

export const LinkStateView = Type.Object(
  {
    state: Type.Enum(['none', 'works', 'withdrawn']),
    created_at: nullable(Moment),
    is_mailed: Type.Boolean(),
    mail: nullable(LinkMailWire),
    ended_at: nullable(Moment),
  },
  { title: 'LinkState' },
);
