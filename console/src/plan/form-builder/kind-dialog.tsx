// What is added: the kinds of items, each with an example.
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../shell/dialog.tsx';
import { KINDS, type OfferedKind } from './model/kinds.ts';

interface KindDialogProps {
  readonly onChoose: (kind: OfferedKind) => void;
  readonly onClose: () => void;
}

const SECTIONS = ['common', 'more', 'structure'] as const;

export function KindDialog({ onChoose, onClose }: KindDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog title={t('formBuilder.whatKind')} onClose={onClose}>
      {SECTIONS.map((section) => (
        <section key={section} aria-labelledby={`kinds-${section}`}>
          <h3 id={`kinds-${section}`}>{t(`formBuilder.kinds.${section}`)}</h3>
          <ul className="kinds">
            {KINDS[section].map((kind) => (
              <li key={kind}>
                <button type="button" className="kind" onClick={() => onChoose(kind)}>
                  <strong>{t(`formBuilder.kind.${kind}`)}</strong>
                  <span className="quiet">{t(`formBuilder.example.${kind}`)}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p className="actions">
        <button type="button" className="plain-button" onClick={onClose}>
          {t('planner.back')}
        </button>
      </p>
    </Dialog>
  );
}
