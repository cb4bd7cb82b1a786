// Among whom a patient chooses for a decision about sharing. Pure.

/** Whom a decision may be about, by its guid. */
export interface Recipient {
  readonly guid: string;
  readonly name: string;
  /** Where it is and what it belongs to, which tells apart those of one name. */
  readonly place?: string | undefined;
  /** The organisation of a caregiver, by its guid. */
  readonly partOf?: string | undefined;
}

interface Known {
  /** Names of organisations by their guid. */
  readonly organisations: ReadonlyMap<string, string>;
  /** Names of the caregivers that have something of the patient's, by their guid. */
  readonly carers: ReadonlyMap<string, string>;
  /** The caregivers that the directory finds by the text. */
  readonly found: readonly Recipient[];
}

/** As many of each kind as a list shows. */
const MOST = 20;

/**
 * Those that match the text, each once: the patient's caregivers first, then others, then organisations. A caregiver
 * may be in the catalogue of organisations, too. Of two with one name the patient's own caregiver is offered, or the
 * one that is part of the organisation: requests go to it, so that the decision is about it alone. One about an
 * organisation that dispatch has no record of denies everybody who might be part of it (docs/adr/0031).
 */
export function recipientsOf(text: string, { organisations, carers, found }: Known): Recipient[] {
  const isMeant = matcherOf(text);
  const places = new Map(found.map(({ guid, place }) => [guid, place]));
  const own = [...carers].flatMap(([guid, name]) =>
    isMeant(name) || places.has(guid) ? [{ guid, name, place: places.get(guid) }] : [],
  );
  const others = found.filter(({ guid }) => !carers.has(guid));
  const ownNames = new Set(carers.values());
  const isTaken = (guid: string, name: string) =>
    ownNames.has(name) || others.some((other) => other.name === name && other.partOf === guid);
  const units = [...organisations].flatMap(([guid, name]) =>
    isMeant(name) && !isTaken(guid, name) ? [{ guid, name }] : [],
  );
  return [own, others, units].flatMap((each) => each.slice(0, MOST));
}

/** Whether each word of the text is a part of the name, as in the directory of the engine. */
function matcherOf(text: string): (name: string) => boolean {
  const words = text.toLocaleLowerCase().split(/\s+/);
  return (name) => words.every((word) => name.toLocaleLowerCase().includes(word));
}
