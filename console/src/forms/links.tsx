// Pages that help to answer, each in a window of its own so that nothing that was answered is left.
import { useTranslation } from 'react-i18next';

export function Links({ links = [] }: { readonly links?: readonly string[] | undefined }) {
  const { t } = useTranslation();
  if (links.length === 0) return null;
  return (
    <ul className="support-links">
      {links.map((link) => (
        <li key={link}>
          <a href={link} target="_blank" rel="noopener noreferrer">
            {t('form.readMore', { place: placeOf(link) })}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Whose page it is. */
function placeOf(link: string): string {
  return URL.canParse(link) ? new URL(link).hostname.replace(/^www\./, '') : link;
}
