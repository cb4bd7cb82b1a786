// Keys of texts are checked by the compiler.
import type texts from './sv.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof texts };
    returnNull: false;
  }
}
