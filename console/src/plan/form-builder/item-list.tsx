// The items of the form in order, each opened to be changed. They are moved by dragging, by buttons, and by Alt and an
// arrow; a step goes into a group and out of it.
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Reorder, useReorder } from '../../shared/use-reorder.ts';
import { OrderButtons } from '../order-buttons.tsx';
import { AddItem } from './add-item.tsx';
import { useBuilder, useTitleOf } from './builder-context.ts';
import { ItemEditor } from './item-editor.tsx';
import { expressionOf, withQuestionsRenamed } from './model/expressions.ts';
import { isHelp } from './model/extensions.ts';
import { isHidden } from './model/help.ts';
import { offeredKind } from './model/kinds.ts';
import {
  copyOf,
  type Item,
  itemAt,
  type Place,
  placeOf,
  stepFrom,
  withInserted,
  withMoved,
  without,
} from './model/tree.ts';

/** In the place of an item's id: the end of the group. */
const END = 'end:';

interface Moving {
  readonly drag: Reorder;
  step(id: string, by: -1 | 1): void;
}

export function ItemList() {
  const { t } = useTranslation();
  const { draft, items, open } = useBuilder();
  const titleOf = useTitleOf();
  const [said, say] = useState('');
  const set = (next: readonly Item[]) => draft.change({ ...draft.form, item: [...next] });
  const move = (id: string, place: Place | undefined) => {
    if (place === undefined) return;
    const next = withMoved(items, id, place);
    if (next === items) return;
    set(next);
    say(whereWords(next, id));
  };
  const whereWords = (all: readonly Item[], id: string): string => {
    const place = placeOf(all, id);
    const group = place?.parent === undefined ? undefined : itemAt(all, place.parent);
    const count = (group === undefined ? all : (group.item ?? [])).length;
    const values = { title: titleOf(itemAt(all, id)), place: (place?.index ?? 0) + 1, count };
    return group === undefined
      ? t('formBuilder.moved', values)
      : t('formBuilder.movedInto', { ...values, group: titleOf(group) });
  };
  const drag = useReorder((id, target, side) => move(id, targetPlace(items, target, side)));
  const step = (id: string, by: -1 | 1) => {
    move(id, stepFrom(items, id, by));
    // In another list it is another row, and the button that had the focus is gone.
    requestAnimationFrame(() => {
      const row = document.getElementById(rowId(id));
      if (document.activeElement === document.body) row?.focus();
      else row?.scrollIntoView({ block: 'nearest' });
    });
  };
  const remove = (item: Item) => {
    set(without(items, item.linkId));
    open(undefined);
    say(t('formBuilder.removed', { title: titleOf(item) }));
  };
  const duplicate = (item: Item) => {
    const place = placeOf(items, item.linkId);
    const copy = copyOf(item, withQuestionsRenamed);
    if (place === undefined) return;
    set(withInserted(items, copy, { ...place, index: place.index + 1 }));
    open(copy.linkId);
  };
  return (
    <>
      <Rows items={items} parent={undefined} moving={{ drag, step }} onRemove={remove} onDuplicate={duplicate} />
      <p className="visually-hidden" role="status">
        {said}
      </p>
    </>
  );
}

function targetPlace(items: readonly Item[], target: string, side: 'before' | 'after'): Place | undefined {
  if (target.startsWith(END)) {
    const parent = target.slice(END.length) || undefined;
    const siblings = parent === undefined ? items : (itemAt(items, parent)?.item ?? []);
    return { parent, index: siblings.length };
  }
  const place = placeOf(items, target);
  if (place === undefined || side === 'before') return place;
  // Below the heading of a group is within it.
  if (itemAt(items, target)?.type === 'group') return { parent: target, index: 0 };
  return { ...place, index: place.index + 1 };
}

/** The id of the button that opens an item. */
export function rowId(linkId: string): string {
  return `item-${linkId}`;
}

interface RowsProps {
  readonly items: readonly Item[];
  readonly parent: Item | undefined;
  readonly moving: Moving;
  readonly onRemove: (item: Item) => void;
  readonly onDuplicate: (item: Item) => void;
}

function Rows({ items, parent, moving, onRemove, onDuplicate }: RowsProps) {
  const { t } = useTranslation();
  return (
    <>
      {items.length > 0 && (
        <ol className="items">
          {items.map((item, index) => (
            <Row
              key={item.linkId}
              item={item}
              place={{ index, count: items.length }}
              moving={moving}
              onRemove={onRemove}
              onDuplicate={onDuplicate}
            />
          ))}
        </ol>
      )}
      {items.length === 0 && parent === undefined && <p className="quiet">{t('formBuilder.noQuestions')}</p>}
      <div className="item-end" {...moving.drag.rowProps(`${END}${parent?.linkId ?? ''}`)}>
        <AddItem parent={parent} />
      </div>
    </>
  );
}

interface RowProps extends Omit<RowsProps, 'items' | 'parent'> {
  readonly item: Item;
  readonly place: { readonly index: number; readonly count: number };
}

function Row({ item, place, moving, onRemove, onDuplicate }: RowProps) {
  const { t } = useTranslation();
  const { draft, items, opened, open } = useBuilder();
  const title = useTitleOf()(item);
  const { linkId } = item;
  const isOpen = opened === linkId;
  const inner = (item.item ?? []).filter((each) => !isHelp(each));
  const press = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined;
    if (!event.altKey || by === undefined) return;
    event.preventDefault();
    moving.step(linkId, by);
  };
  return (
    <li>
      <div className="item-row" data-open={isOpen ? '' : undefined} {...moving.drag.rowProps(linkId)}>
        <span className="handle" title={t('formBuilder.drag')} aria-hidden="true" {...moving.drag.handleProps(linkId)}>
          ⠿
        </span>
        <button
          type="button"
          id={rowId(linkId)}
          className="item-title"
          aria-expanded={isOpen}
          onClick={() => open(isOpen ? undefined : linkId)}
          onKeyDown={press}
        >
          <span>
            {item.prefix !== undefined && `${item.prefix} `}
            {title}
          </span>
          <span className="visually-hidden">
            {t('formBuilder.place', { title: '', place: place.index + 1, count: place.count })}
          </span>
          <Facts item={item} />
        </button>
        <span className="order-buttons">
          <OrderButtons
            title={title}
            isFirst={stepFrom(items, linkId, -1) === undefined}
            isLast={stepFrom(items, linkId, 1) === undefined}
            onMove={(by) => moving.step(linkId, by)}
          />
        </span>
      </div>
      {isOpen && (
        <ItemEditor
          key={draft.revision}
          item={item}
          onRemove={() => onRemove(item)}
          onDuplicate={() => onDuplicate(item)}
        />
      )}
      {(item.type === 'group' || inner.length > 0) && (
        <Rows items={inner} parent={item} moving={moving} onRemove={onRemove} onDuplicate={onDuplicate} />
      )}
    </li>
  );
}

function Facts({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { issues, showsAll } = useBuilder();
  const count = showsAll ? issues.filter(({ linkId }) => linkId === item.linkId).length : 0;
  const kind = offeredKind(item.type);
  const facts = [
    t(kind === undefined ? 'formBuilder.otherKind' : `formBuilder.kind.${kind}`),
    ...(item.required === true ? [t('formBuilder.required')] : []),
    ...(item.repeats === true ? [t('formBuilder.several')] : []),
    ...(expressionOf(item, 'calculated') !== undefined ? [t('formBuilder.isCalculated')] : []),
    ...(isHidden(item) ? [t('formBuilder.isHidden')] : []),
    ...((item.enableWhen ?? []).length > 0 || expressionOf(item, 'shown') !== undefined
      ? [t('formBuilder.conditional')]
      : []),
  ];
  return (
    <span className="item-facts">
      {facts.join(' · ')}
      {count > 0 && <span className="bad"> · {t('formBuilder.wanting', { count })}</span>}
    </span>
  );
}
