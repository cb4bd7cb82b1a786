// Opens the palette, by a button or by Ctrl-K. The palette itself is loaded then.
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

export function PaletteButton() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      // What is asked in a dialog is answered first.
      if (document.querySelector('dialog[open]') === null) setOpen(true);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <button
        type="button"
        className="plain-button palette-open"
        aria-keyshortcuts="Control+K"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {t('palette.open')}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
