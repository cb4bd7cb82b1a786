// Server-sent events (HTML Living Standard, §9.2), read by `fetch`, as an EventSource cannot send the console's header.

export interface StreamEvent {
  readonly name: string;
  readonly data: string;
  /** What the stream continues from; undefined where the event says none. */
  readonly id: string | undefined;
}

/** The events of a text that has whole ones and perhaps the beginning of one more, which is the rest. */
export function eventsIn(text: string): { readonly events: readonly StreamEvent[]; readonly rest: string } {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n');
  const rest = blocks.pop() ?? '';
  const events = blocks.flatMap((block) => {
    const lines = block.split('\n');
    const valuesOf = (field: string) =>
      lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).trimStart());
    const data = valuesOf('data');
    const name = valuesOf('event').at(-1) ?? 'message';
    return data.length === 0 ? [] : [{ name, data: data.join('\n'), id: valuesOf('id').at(-1) }];
  });
  return { events, rest };
}
