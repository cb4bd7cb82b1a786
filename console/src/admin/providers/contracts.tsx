// The contracts of a provider: what for, where and until when it takes requests.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import { isChangedSince } from '../../api/problem.ts';
import { ActDialog } from '../../shared/act-dialog.tsx';
import { Cards } from '../../shared/cards.tsx';
import { NotRemoved } from '../../shared/change/not-removed.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { useOrganisationNames } from '../access/queries.ts';
import { ProblemCard } from '../problem-card.tsx';
import { useAct } from '../use-act.ts';
import type { Contract } from './contract.ts';
import { CONTRACTS, ContractDialog, NewContractDialog } from './contract-dialog.tsx';
import { useContracts } from './queries.ts';

export function Contracts({ guid }: { readonly guid: string }) {
  const { t } = useTranslation();
  const [isMaking, setMaking] = useState(false);
  return (
    <section aria-labelledby="contracts">
      <h2 id="contracts">{t('admin.providers.contracts')}</h2>
      <Loaded query={useContracts(guid)}>
        {({ data }) => (
          <Cards items={data} none={t('admin.providers.noContracts')}>
            {(contract) => <ContractCard key={contract.contract_guid} contract={contract} />}
          </Cards>
        )}
      </Loaded>
      <p className="actions">
        <Button variant="default" onClick={() => setMaking(true)}>
          {t('admin.contract.make')}
        </Button>
      </p>
      {isMaking && <NewContractDialog provider={guid} onClose={() => setMaking(false)} />}
    </section>
  );
}

function ContractCard({ contract }: { readonly contract: Contract }) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState<'change' | 'remove'>();
  const nameOf = useOrganisationNames();
  const { valid_from: from, valid_to: to, organisation_guid: organisation } = contract;
  const period = to === null ? t('admin.providers.from', { from }) : t('admin.providers.fromTo', { from, to });
  return (
    <li className="card">
      <div className="row">
        <strong>{period}</strong>
        {contract.status === 'inactive' && <span className="badge strong">{t('admin.providers.inactive')}</span>}
      </div>
      <p className="quiet">
        {contract.region ?? t('admin.providers.everywhere')} ·{' '}
        {organisation === null ? t('admin.contract.forAll') : nameOf(organisation)} ·{' '}
        {t('admin.providers.codes', { count: contract.codes.length })}
      </p>
      <details>
        <summary>{t('admin.providers.showCodes')}</summary>
        <ul>
          {contract.codes.map(({ system, code }) => (
            <li key={`${system}|${code}`}>
              <code>{code}</code> <span className="quiet">{system}</span>
            </li>
          ))}
        </ul>
      </details>
      <p className="actions">
        <Button
          variant="default"
          aria-label={t('admin.contract.changeOf', { period })}
          onClick={() => setAsking('change')}
        >
          {t('admin.contract.changeButton')}
        </Button>
        <Button
          variant="default"
          aria-label={t('admin.contract.deleteOf', { period })}
          onClick={() => setAsking('remove')}
        >
          {t('admin.contract.delete')}
        </Button>
      </p>
      {asking === 'change' && <ContractDialog contract={contract} onClose={() => setAsking(undefined)} />}
      {asking === 'remove' && <RemoveContractDialog contract={contract} onClose={() => setAsking(undefined)} />}
    </li>
  );
}

/** Removes what was shown when the button was pressed, and no version that somebody has made since. */
function RemoveContractDialog({ contract, onClose }: { readonly contract: Contract; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [{ contract_guid: id, version }] = useState(contract);
  const remove = useAct<unknown>(
    () => {
      const params = { path: { id }, header: { 'if-match': `W/"${version}"` } };
      return read(engine.DELETE('/api/v1/contracts/{id}', { params }));
    },
    { changes: CONTRACTS, onDone: onClose },
  );
  const isOvertaken = isChangedSince(remove.error);
  const failure = remove.error !== null && (isOvertaken ? <NotRemoved /> : <ProblemCard error={remove.error} />);
  return (
    <ActDialog
      title={t('admin.contract.deleteTitle')}
      confirm={t('admin.contract.deleteNow')}
      cancel={t('admin.cancel')}
      act={remove}
      onClose={onClose}
      isReady={!isOvertaken}
      failure={failure}
    >
      <p>{t('admin.contract.deleteEffect')}</p>
    </ActDialog>
  );
}
