// What a caregiver finds by the palette: tasks of the provider, by what is to be done, for whom, or by the id.
import { engine, read } from '../api/clients.ts';
import { isMatch } from '../palette/commands.ts';
import { type Find, idIn, MOST_FOUND } from '../palette/found.ts';

/** What is due first, of the open tasks; older work is in the list. */
const LOOKED_THROUGH = 100;

export const findAsCaregiver: Find = async (text, signal) => {
  const query = { per_page: LOOKED_THROUGH, order: 'due' as const };
  const { data } = await read(engine.GET('/api/v1/provider-tasks/my', { params: { query }, signal }));
  const id = idIn(text);
  return data
    .filter(({ request_guid: guid, title, patient }) =>
      id === undefined ? isMatch(text, `${title ?? ''} ${patient?.name ?? ''}`) : guid === id,
    )
    .slice(0, MOST_FOUND)
    .map(({ request_guid: guid, title, patient }) => ({
      kind: 'task',
      id: guid,
      label: title ?? patient?.name ?? guid,
      detail: patient?.name ?? undefined,
      to: `/care/tasks/${guid}`,
    }));
};
