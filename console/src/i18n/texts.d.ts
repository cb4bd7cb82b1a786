// Keys of texts are checked by the compiler.
import type accessTexts from '../admin/access/texts/sv.json';
import type auditTexts from '../admin/audit/texts/sv.json';
import type systemTexts from '../admin/system/texts/sv.json';
import type adminTexts from '../admin/texts/sv.json';
import type caregiverTexts from '../caregiver/texts/sv.json';
import type developerTexts from '../developer/texts/sv.json';
import type operateTexts from '../operate/texts/sv.json';
import type formBuilderTexts from '../plan/form-builder/texts/sv.json';
import type planTexts from '../plan/texts/sv.json';
import type reviewTexts from '../review/texts/sv.json';
import type failureTexts from '../shared/failures/texts/sv.json';
import type texts from './sv.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: {
      translation: typeof texts &
        typeof planTexts &
        typeof formBuilderTexts &
        typeof caregiverTexts &
        typeof adminTexts &
        typeof accessTexts &
        typeof auditTexts &
        typeof systemTexts &
        typeof developerTexts &
        typeof operateTexts &
        typeof reviewTexts &
        typeof failureTexts;
    };
    returnNull: false;
  }
}
