// What an operator finds by the palette: the other servers.
import { engine, read } from '../api/clients.ts';
import { isMatch } from '../palette/commands.ts';
import { type Find, MOST_FOUND } from '../palette/found.ts';

export const findAsOperator: Find = async (text, signal) => {
  const { data } = await read(engine.GET('/api/v1/servers', { params: { query: { per_page: 200 } }, signal }));
  return data
    .filter(({ name }) => isMatch(text, name))
    .slice(0, MOST_FOUND)
    .map(({ name, url: detail }) => ({ kind: 'server', id: name, label: name, detail, to: '/operate/servers' }));
};
