// The six forms for caregivers and patients, with choices, conditions and units.
import {
  choice,
  type DemoForm,
  day,
  free,
  group,
  measure,
  must,
  note,
  scale,
  severalOf,
  whenChosen,
  whenYes,
  yesNo,
} from './questionnaire.ts';

const breath = choice('breath', 'Hur är andningen jämfört med förra veckan?', 'Bättre', 'Oförändrad', 'Sämre');
const pillows = yesNo('pillows', 'Behöver du fler kuddar än vanligt för att kunna sova?');
const dizzy = yesNo('dizzy', 'Har du varit yr när du rest dig?');

const heart: DemoForm = {
  id: 'hjartsvikt-vecka',
  title: 'Hjärtsvikt: veckans symtom',
  purpose: 'Fånga försämring innan den leder till sjukhusvård',
  items: [
    must(measure('weight', 'Vad vägde du i morse?', 'kg')),
    must(breath),
    whenChosen(breath, [3], day('since', 'Sedan när?')),
    pillows,
    whenYes(pillows, scale('pillow-count', 'Hur många?', 1, 6)),
    dizzy,
    whenYes(dizzy, measure('pressure', 'Övertryck, om du har mätt', 'mmHg')),
    free('other', 'Annat du vill berätta'),
  ],
};

const low = yesNo('low', 'Har du haft lågt blodsocker den senaste månaden?');
const treatment = severalOf('treatment', 'Hur behandlas du?', 'Kost och rörelse', 'Tabletter', 'Insulin', 'GLP-1');

const diabetes: DemoForm = {
  id: 'diabetes-infor-besok',
  title: 'Diabetes: inför besöket',
  purpose: 'Förbered årskontrollen',
  items: [
    must(treatment),
    whenChosen(treatment, [3], measure('insulin', 'Insulin per dygn', 'internationalUnits')),
    must(low),
    whenYes(
      low,
      group(
        'low-details',
        'Lågt blodsocker',
        scale('low-count', 'Hur många gånger?', 1, 100),
        measure('low-value', 'Lägsta uppmätta värde', 'mmolPerLitre'),
        yesNo('low-help', 'Behövde du hjälp av någon annan?'),
      ),
    ),
    measure('movement', 'Hur mycket rör du dig?', 'minutesPerWeek'),
    free('question', 'Vad vill du ta upp på besöket?'),
  ],
};

const cough = choice('cough', 'Hur mycket hostar du?', 'Inget', 'Lite', 'Mycket', 'Hela tiden');
const phlegm = yesNo('phlegm', 'Har du mer slem än vanligt?');

const copd: DemoForm = {
  id: 'kol-vecka',
  title: 'KOL: så har veckan varit',
  purpose: 'Följ symtom och upptäck försämring',
  items: [
    must(cough),
    must(phlegm),
    whenYes(phlegm, choice('colour', 'Vilken färg har slemmet?', 'Vitt', 'Gult', 'Grönt', 'Blodtillblandat')),
    must(measure('saturation', 'Lägsta syremättnad i vila', 'percent')),
    yesNo('inhaler', 'Har du behövt extra av den luftrörsvidgande medicinen?'),
    scale('sleep', 'Hur har du sovit? (0 mycket dåligt, 10 mycket bra)', 0, 10),
  ],
};

const smell = yesNo('smell', 'Luktar såret?');
const redness = yesNo('redness', 'Rodnad eller värme omkring såret?');

const wound: DemoForm = {
  id: 'sar-bedomning',
  title: 'Sår: bedömning vid omläggning',
  purpose: 'Samma bedömning vid varje omläggning, så att läkningen kan följas',
  items: [
    must(
      group(
        'size',
        'Storlek',
        must(measure('length', 'Längd', 'cm', 'mm')),
        must(measure('width', 'Bredd', 'cm', 'mm')),
        measure('depth', 'Djup', 'mm'),
      ),
    ),
    must(choice('tissue', 'Sårbädd', 'Granulation', 'Fibrin', 'Nekros', 'Läkt')),
    must(choice('fluid', 'Sårvätska', 'Ingen', 'Lite', 'Måttlig', 'Riklig')),
    smell,
    redness,
    whenYes(redness, note('redness-note', 'Markera rodnadens gräns med penna och kontakta läkare samma dag.')),
    whenYes(redness, measure('temperature', 'Kroppstemperatur', 'celsius')),
    must(scale('pain', 'Smärta vid omläggning (0–10)', 0, 10)),
  ],
};

const risk = choice(
  'risk',
  'Riskgrupp',
  '1: friska fötter',
  '2: nedsatt känsel eller cirkulation',
  '3: fotdeformitet',
  '4: fotsår',
);

const foot: DemoForm = {
  id: 'fot-undersokning',
  title: 'Fötter: undersökning vid diabetes',
  purpose: 'Sätt riskgrupp och bestäm hur ofta fötterna ska ses',
  items: [
    must(yesNo('feeling', 'Känner patienten monofilamentet på alla punkter?')),
    must(yesNo('pulse', 'Palpabla pulsar på båda fötterna?')),
    must(risk),
    whenChosen(risk, [3, 4], free('measure', 'Åtgärd: avlastning, skor, remiss')),
    day('next', 'Nästa undersökning'),
  ],
};

const living = choice('living', 'Hur bor patienten?', 'Ensam', 'Med anhörig', 'På särskilt boende');
const key = yesNo('key', 'Behövs nyckel eller kod för att komma in?');

const home: DemoForm = {
  id: 'hemsituation',
  title: 'Hemsituation inför hembesök',
  purpose: 'Det som den som ska hem till patienten behöver veta',
  items: [
    must(living),
    whenChosen(living, [2], free('relative', 'Vem, och hur nås hen?')),
    must(key),
    whenYes(key, free('access', 'Hur kommer man in?')),
    yesNo('pets', 'Finns det husdjur?'),
    severalOf('aids', 'Hjälpmedel i hemmet', 'Trygghetslarm', 'Rollator', 'Rullstol', 'Vårdsäng', 'Syrgas'),
    severalOf('days', 'Vilka dagar passar bäst?', 'Måndag', 'Tisdag', 'Onsdag', 'Torsdag', 'Fredag'),
  ],
};

export const FORMS = { heart, diabetes, copd, wound, foot, home } as const satisfies Record<string, DemoForm>;
export type FormKey = keyof typeof FORMS;
