// The settings of the services, as the palette finds them: by name, and by the words of what they mean.
import { currentLanguage } from '../../i18n/i18n.ts';
import { type Found, MOST_FOUND } from '../../palette/found.ts';
import { readSettings, SETTING_SERVICES } from './queries.ts';
import { bestOf } from './settings.ts';
import { inWords } from './words.ts';

/** @throws Problem, UnreachableError */
export async function findSettings(text: string, signal: AbortSignal): Promise<Found[]> {
  const language = currentLanguage();
  const read = SETTING_SERVICES.map(async (service) => {
    const { settings } = await readSettings(service, signal);
    return (await inWords(settings, language)).map((setting) => ({ ...setting, service }));
  });
  return bestOf((await Promise.all(read)).flat(), text)
    .slice(0, MOST_FOUND)
    .map(({ name, meaning, service }) => ({
      kind: 'setting',
      id: `${service} ${name}`,
      label: name,
      detail: `${service}: ${firstSentence(meaning)}`,
      to: '/admin/settings',
      search: { service },
      hash: name,
    }));
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.) /)[0] ?? text;
}
