// The forms of a request, in order. While it is a draft they are added, moved and removed: by buttons, and so by the
// keyboard, or by dragging. What is removed can be put back.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../../api/clients.ts';
import type { DispatchShapes } from '../../../api/shapes.ts';
import { useRequestKey } from '../../../app/request-key.ts';
import { useKeptForm } from '../../../app/use-kept.ts';
import { reordered, useReorder } from '../../../shared/use-reorder.ts';
import { ErrorCard } from '../../../shell/error-card.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { moved, OrderButtons } from '../../order-buttons.tsx';
import { useFormCatalogue } from '../../queries.ts';
import { type AttachedForm, useAttachedForms, useRefresh } from '../request-queries.ts';

interface FormsEditorProps {
  readonly id: string;
  readonly isOpen: boolean;
}

export function FormsEditor({ id, isOpen }: FormsEditorProps) {
  const { t } = useTranslation();
  const attached = useAttachedForms(id);
  return (
    <section className="card" aria-labelledby="forms">
      <h2 id="forms" tabIndex={-1}>
        {t('planner.forms.title')}
      </h2>
      <Loaded query={attached}>
        {({ data }) => (
          <>
            {data.length === 0 && <p className="quiet">{t('planner.forms.none')}</p>}
            {isOpen ? (
              <OrderedForms id={id} forms={data} />
            ) : (
              <ol>
                {data.map((form) => (
                  <li key={form.form_attachment_guid}>
                    {form.title} <FormFacts form={form} />
                  </li>
                ))}
              </ol>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function FormFacts({ form }: { readonly form: AttachedForm }) {
  const { t } = useTranslation();
  const due = form.due === null ? '' : `, ${t('planner.forms.due', { day: form.due })}`;
  return (
    <span className="quiet">
      – {t(`planner.forms.by.${form.answered_by}`)}
      {due}
    </span>
  );
}

function OrderedForms({ id, forms }: { readonly id: string; readonly forms: readonly AttachedForm[] }) {
  const { t } = useTranslation();
  const refresh = useRefresh(id);
  const path = { id };
  const [removed, setRemoved] = useState<AttachedForm>();
  const { ordered, guids, reorder, error: orderError } = useFormOrder(id, forms);
  const remove = useMutation({
    mutationFn: (form: AttachedForm) => {
      const one = { ...path, form_attachment_guid: form.form_attachment_guid };
      const address = '/api/v1/ServiceRequest/{id}/forms/{form_attachment_guid}';
      return read(dispatch.DELETE(address, { params: { path: one } }));
    },
    onSuccess: async (_, form) => {
      setRemoved(form);
      await refresh();
    },
  });
  const attach = useAttach(id);
  const drag = useReorder((dragged, target, side) => {
    const next = reordered(guids, dragged, target, side);
    if (next.join() !== guids.join()) reorder(next);
  });
  const error = orderError ?? remove.error ?? attach.error;
  return (
    <>
      <ol className="ordered">
        {ordered.map((form, index) => (
          <li key={form.form_attachment_guid} {...drag.rowProps(form.form_attachment_guid)}>
            <span className="handle" aria-hidden="true" {...drag.handleProps(form.form_attachment_guid)}>
              ⠿
            </span>
            <span>
              {form.title} <FormFacts form={form} />
            </span>
            <span className="order-buttons">
              <OrderButtons
                title={form.title}
                isFirst={index === 0}
                isLast={index === ordered.length - 1}
                onMove={(by) => reorder(moved(guids, index, by))}
              />
              <button
                type="button"
                className="plain-button"
                aria-label={t('planner.forms.removeOf', { title: form.title })}
                onClick={() => remove.mutate(form)}
              >
                {t('planner.forms.remove')}
              </button>
            </span>
          </li>
        ))}
      </ol>
      {removed !== undefined && (
        <p className="note" role="status">
          {t('planner.forms.removed', { title: removed.title })}{' '}
          <button
            type="button"
            className="plain-button"
            onClick={() => {
              const { form_guid, answered_by, due } = removed;
              attach.mutate({ form_guid, answered_by, ...(due === null ? {} : { due }) });
              setRemoved(undefined);
            }}
          >
            {t('planner.undo')}
          </button>
        </p>
      )}
      {error !== null && <ErrorCard error={error} />}
      <AddForm id={id} forms={forms} />
    </>
  );
}

/**
 * The forms in the order that was last asked for, at once. Orders are stored one after the other, so none is lost when
 * somebody moves on before the last one is stored. A refused order shows the stored one again.
 */
function useFormOrder(id: string, forms: readonly AttachedForm[]) {
  const refresh = useRefresh(id);
  const [wanted, setWanted] = useState<readonly string[]>([]);
  const latest = useRef(wanted);
  const mutation = useMutation({
    scope: { id: `form-order-${id}` },
    mutationFn: (ordered_guids: string[]) =>
      read(
        dispatch.POST('/api/v1/ServiceRequest/{id}/forms/reorder', {
          params: { path: { id } },
          body: { ordered_guids },
        }),
      ),
    onSettled: async (_data, _error, stored) => {
      if (latest.current !== stored) return;
      await refresh();
      if (latest.current === stored) setWanted([]);
    },
  });
  const placeOf = ({ form_attachment_guid: guid }: AttachedForm) => {
    const place = wanted.indexOf(guid);
    return place === -1 ? wanted.length : place;
  };
  const ordered = forms.toSorted((a, b) => placeOf(a) - placeOf(b));
  const reorder = (next: string[]) => {
    latest.current = next;
    setWanted(next);
    mutation.mutate(next);
  };
  return { ordered, guids: ordered.map((form) => form.form_attachment_guid), reorder, error: mutation.error };
}

function useAttach(id: string) {
  const refresh = useRefresh(id);
  const key = useRequestKey(`forms-${id}`);
  return useMutation({
    mutationFn: (body: DispatchShapes['FormAttachmentInput']) => {
      const params = { path: { id }, header: { 'Idempotency-Key': key.of(body) } };
      return read(dispatch.POST('/api/v1/ServiceRequest/{id}/forms', { params, body }));
    },
    onSettled: (_, error) => key.settled(error),
    onSuccess: refresh,
  });
}

const ANSWERING = ['provider', 'patient'] as const;

interface Adding {
  readonly chosen: string;
  readonly by: (typeof ANSWERING)[number];
  readonly due: string;
}

const NOTHING: Adding = { chosen: '', by: 'provider', due: '' };

function AddForm({ id, forms }: { readonly id: string; readonly forms: readonly AttachedForm[] }) {
  const { t } = useTranslation();
  const [{ chosen, by, due }, change] = useKeptForm(`add-form-${id}`, NOTHING);
  const attach = useAttach(id);
  const catalogue = useFormCatalogue();
  return (
    <Loaded query={catalogue}>
      {({ data, stale }) => {
        const others = data.filter(
          ({ form_guid: guid, status }) => isInUse(status) && !forms.some((form) => form.form_guid === guid),
        );
        const add = () =>
          attach.mutate(
            { form_guid: chosen, answered_by: by, ...(due === '' || by === 'provider' ? {} : { due }) },
            { onSuccess: () => change({ chosen: '' }) },
          );
        return (
          <div className="filters">
            <NativeSelect
              label={t('planner.forms.add')}
              description={stale ? t('planner.forms.stale') : undefined}
              value={chosen}
              onChange={({ currentTarget }) => change({ chosen: currentTarget.value })}
              data={[
                { value: '', label: t('planner.forms.choose') },
                ...others.map((entry) => ({ value: entry.form_guid, label: entry.title })),
              ]}
            />
            <NativeSelect
              label={t('planner.forms.who')}
              value={by}
              onChange={({ currentTarget }) =>
                change({ by: currentTarget.value === 'patient' ? 'patient' : 'provider' })
              }
              data={ANSWERING.map((value) => ({ value, label: t(`planner.forms.by.${value}`) }))}
            />
            {by === 'patient' && (
              <TextInput
                type="date"
                label={t('planner.forms.dueDay')}
                value={due}
                onChange={({ currentTarget }) => change({ due: currentTarget.value })}
              />
            )}
            <Button variant="default" disabled={chosen === ''} loading={attach.isPending} onClick={add}>
              {t('planner.forms.attach')}
            </Button>
            {attach.error !== null && <ErrorCard error={attach.error} />}
          </div>
        );
      }}
    </Loaded>
  );
}

/** Drafts and what was taken out of use are not given to anybody. */
function isInUse(status: string): boolean {
  return status !== 'draft' && status !== 'retired';
}
