// The forty invented patients, and the consents of each to sharing data with the caregivers.
import type { PlanningOrganisation } from './people.ts';
import { testPersonnummer } from './personnummer.ts';

/** `care`: permits treatment, denies research. `none`: has no consent. */
type ConsentKind = 'yes' | 'care' | 'no' | 'none';

export interface DemoPatient {
  readonly first: string;
  readonly last: string;
  readonly sex: 'female' | 'male';
  readonly birthDate: string;
  readonly personnummer: string;
  readonly organisation: PlanningOrganisation;
  readonly consent: ConsentKind;
  readonly town: string;
}

type Row = readonly [name: string, sex: 'f' | 'm', birthDate: string, consent: ConsentKind];

const PRIMARY: readonly Row[] = [
  ['Astrid Berg', 'f', '1948-03-12', 'yes'],
  ['Gunnar Ekström', 'm', '1951-11-02', 'yes'],
  ['Birgitta Söderlund', 'f', '1956-07-25', 'yes'],
  ['Mohammed Al-Khatib', 'm', '1969-01-09', 'yes'],
  ['Ingrid Wallin', 'f', '1944-09-30', 'care'],
  ['Lennart Åkesson', 'm', '1947-05-17', 'yes'],
  ['Marie Fransson', 'f', '1973-12-04', 'yes'],
  ['Tuomas Niemi', 'm', '1962-04-21', 'no'],
  ['Kerstin Hedlund', 'f', '1958-08-13', 'yes'],
  ['Ove Granström', 'm', '1953-02-28', 'yes'],
  ['Fatima Hassan', 'f', '1977-06-06', 'yes'],
  ['Sten Blomgren', 'm', '1941-10-19', 'none'],
  ['Anneli Korhonen', 'f', '1965-03-03', 'yes'],
  ['Rolf Isaksson', 'm', '1950-12-22', 'care'],
  ['Monica Dahl', 'f', '1960-01-31', 'yes'],
  ['Dragan Petrović', 'm', '1966-09-08', 'yes'],
];

const HOSPITAL: readonly Row[] = [
  ['Margareta Nordin', 'f', '1943-04-14', 'yes'],
  ['Bengt Lövgren', 'm', '1946-06-27', 'yes'],
  ['Ulla Viklund', 'f', '1939-02-11', 'yes'],
  ['Per-Olof Sjödin', 'm', '1955-10-05', 'no'],
  ['Maj-Britt Axelsson', 'f', '1949-08-20', 'yes'],
  ['Göran Forsberg', 'm', '1952-03-16', 'yes'],
  ['Leila Rahimi', 'f', '1971-11-11', 'yes'],
  ['Kjell Sandgren', 'm', '1945-07-07', 'care'],
  ['Gun Lindahl', 'f', '1954-05-29', 'yes'],
  ['Stig Moberg', 'm', '1940-12-01', 'none'],
  ['Yvonne Ström', 'f', '1963-09-18', 'yes'],
  ['Jan Wikström', 'm', '1959-04-02', 'yes'],
];

const HOME: readonly Row[] = [
  ['Elsa Norberg', 'f', '1934-01-24', 'yes'],
  ['Arne Hellström', 'm', '1936-08-09', 'yes'],
  ['Vera Lundmark', 'f', '1931-11-27', 'yes'],
  ['Sixten Brännlund', 'm', '1938-06-15', 'no'],
  ['Rut Engman', 'f', '1933-03-08', 'yes'],
  ['Helge Stenberg', 'm', '1937-10-30', 'yes'],
  ['Barbro Sundin', 'f', '1942-02-19', 'none'],
  ['Nils Åström', 'm', '1935-05-05', 'yes'],
  ['Aina Laestander', 'f', '1930-12-12', 'care'],
  ['Torsten Fors', 'm', '1932-07-21', 'yes'],
  ['Siv Hägglund', 'f', '1940-09-04', 'no'],
  ['Evert Marklund', 'm', '1929-04-26', 'yes'],
];

export const PATIENTS: readonly DemoPatient[] = [
  ...PRIMARY.map((row) => patient(row, 'primary', 'Björkliden')),
  ...HOSPITAL.map((row) => patient(row, 'hospital', 'Norrvik')),
  ...HOME.map((row) => patient(row, 'home', 'Strandbyn')),
];

export function patientNamed(name: string): DemoPatient {
  const found = PATIENTS.find(({ first, last }) => `${first} ${last}` === name);
  if (found === undefined) throw new Error(`The demo has no patient called ${name}`);
  return found;
}

function patient(
  [name, letter, birthDate, consent]: Row,
  organisation: PlanningOrganisation,
  town: string,
): DemoPatient {
  const [first = '', last = ''] = name.split(' ');
  const sex = letter === 'f' ? 'female' : 'male';
  const personnummer = testPersonnummer(birthDate, sex);
  return { first, last, sex, birthDate, personnummer, organisation, consent, town };
}
