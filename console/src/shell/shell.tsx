// The frame of every screen: the way past the navigation, the name, the navigation of who is signed in, the state of
// connection and session.
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { actingFor } from '../api/acting.ts';
import { SessionGuard } from '../session/session-guard.tsx';
import { ActingNote } from './acting-note.tsx';
import type { LiveStream } from './face.ts';
import { facesOf } from './faces.ts';
import { HeaderBar, MENU_BUTTON } from './header-bar.tsx';
import { keepFocus } from './kept-focus.ts';
import { useLive } from './live.ts';
import { Loading } from './loading.tsx';
import { useMe } from './me.ts';
import { Navigation } from './navigation.tsx';

export function Shell() {
  const { t } = useTranslation();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname ?? '' });
  const main = useRef<HTMLElement>(null);
  useFocusOnNavigation(path, main);
  useEffect(() => keepFocus(document), []);
  useLive('notifications', useLiveNames('notifications'));
  useLive('worklist', useLiveNames('worklist'));
  useEscape(isMenuOpen, () => {
    setMenuOpen(false);
    document.getElementById(MENU_BUTTON)?.focus();
  });
  return (
    <>
      <a className="skip" href="#main">
        {t('shell.skip')}
      </a>
      <SessionGuard />
      <HeaderBar isMenuOpen={isMenuOpen} onMenu={() => setMenuOpen(!isMenuOpen)} />
      <div className="frame">
        <Navigation isOpen={isMenuOpen} onNavigate={() => setMenuOpen(false)} />
        <main id="main" ref={main} tabIndex={-1}>
          <ActingNote />
          <Suspense fallback={<Loading />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
    </>
  );
}

const NOTHING: readonly string[] = [];

/** What is read again when the stream says so, of all faces that somebody has. */
function useLiveNames(stream: LiveStream): readonly string[] {
  const { data: me } = useMe();
  return useMemo(() => {
    // A proxy gets no notifications: the stream would be refused, on every screen again.
    if (me === undefined || actingFor() !== undefined) return NOTHING;
    const faces = facesOf(me).filter(({ streamFor }) => (streamFor?.(me) ?? 'notifications') === stream);
    return faces.flatMap(({ live = [] }) => live);
  }, [me, stream]);
}

/** While something is open that Escape closes. A dialog over it is closed first. */
function useEscape(isOpen: boolean, onEscape: () => void): void {
  const close = useRef(onEscape);
  close.current = onEscape;
  useEffect(() => {
    if (!isOpen) return;
    const press = ({ key }: KeyboardEvent) => {
      if (key === 'Escape' && document.querySelector('dialog[open]') === null) close.current();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [isOpen]);
}

/** After a change of screen the focus is at its heading, so that a screen reader begins there. Not at the first one. */
function useFocusOnNavigation(path: string, main: React.RefObject<HTMLElement | null>): void {
  const last = useRef(path);
  useEffect(() => {
    if (last.current === path) return;
    const isFirst = last.current === '';
    last.current = path;
    if (!isFirst) main.current?.focus({ preventScroll: true });
  }, [path, main]);
}
