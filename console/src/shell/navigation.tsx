// The navigation: the screens of the faces that somebody has (./faces.ts).
import { Link, useLocation } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { facesAt } from './faces.ts';
import { useMe } from './me.ts';
import { Settings } from './settings.tsx';

interface NavigationProps {
  /** On a phone, where it is behind a button. */
  readonly isOpen: boolean;
  readonly onNavigate: () => void;
}

export function Navigation({ isOpen, onNavigate }: NavigationProps) {
  const { t } = useTranslation();
  const { data: me } = useMe();
  const { pathname } = useLocation();
  const faces = me === undefined ? [] : facesAt(me, pathname);
  return (
    <nav id="navigation" className="nav" aria-label={t('shell.navigation')} data-closed={isOpen ? undefined : ''}>
      {faces.map(({ name, nameFor, screens }) => (
        <section key={name} aria-labelledby={`face-${name}`}>
          <h2 id={`face-${name}`} className="face-name">
            {t(`face.${(me === undefined ? undefined : nameFor?.(me)) ?? name}`)}
          </h2>
          <ul>
            {screens.map(
              ({ path, label, labelFor, isFor }) =>
                label !== undefined &&
                (me === undefined || isFor?.(me) !== false) && (
                  <li key={path}>
                    <Link
                      to={path}
                      activeOptions={{ exact: path === screens[0].path, includeSearch: false }}
                      onClick={onNavigate}
                    >
                      {t(`screen.${(me === undefined ? undefined : labelFor?.(me)) ?? label}`)}
                    </Link>
                  </li>
                ),
            )}
          </ul>
        </section>
      ))}
      <Settings />
    </nav>
  );
}
