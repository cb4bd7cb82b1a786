// Small releases in the form of each publisher, with invented codes and texts.

/** Files by their path within the release. */
export type SmallRelease = Readonly<Record<string, string>>;

const lines = (...rows: readonly string[]): string => `${rows.join('\r\n')}\r\n`;
const tabs = (...rows: readonly (readonly string[])[]): string =>
  `\uFEFF${rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join('\t')).join('\r\n')}\r\n`;

export const LOINC_RELEASE: SmallRelease = {
  'Loinc_9.01/LoincTable/Loinc.csv': lines(
    '"LOINC_NUM","COMPONENT","PROPERTY","TIME_ASPCT","SYSTEM","SCALE_TYP","METHOD_TYP","CLASS","STATUS","SHORTNAME","LONG_COMMON_NAME","DefinitionDescription"',
    '"10001-1","Moonstone","MCnc","Pt","Cave","Qn","","ROCK","ACTIVE","Moonst Cave","Moonstone [Mass/volume] in Cave","How much moonstone, roughly"',
    '"10002-9","Moonstone colour","Type","Pt","Cave","Nom","Looking","ROCK","ACTIVE","","Moonstone colour in Cave",""',
    '"10003-7","Old stone","MCnc","Pt","Cave","Qn","","ROCK","DEPRECATED","","Old stone in Cave",""',
  ),
  'Loinc_9.01/AccessoryFiles/PartFile/Part.csv': lines(
    '"PartNumber","PartTypeName","PartName","PartDisplayName","Status"',
    '"LP90001-1","COMPONENT","Moonstone","Moonstone","ACTIVE"',
    '"LP90002-9","SYSTEM","Cave","Any cave","ACTIVE"',
    '"LP90003-7","COMPONENT","Moonstone colour","","ACTIVE"',
  ),
  'Loinc_9.01/AccessoryFiles/AnswerFile/AnswerList.csv': lines(
    '"AnswerListId","AnswerListName","AnswerStringId","SequenceNumber","DisplayText"',
    '"LL9001-1","Colours","LA9001-1","1","White"',
    '"LL9001-1","Colours","LA9002-9","2","Blue"',
    '"LL9002-9","Some colours","LA9002-9","1","Blue"',
    '"LL9003-7","Colours of others","","",""',
  ),
  'Loinc_9.01/AccessoryFiles/AnswerFile/LoincAnswerListLink.csv': lines(
    '"LoincNumber","LongCommonName","AnswerListId","AnswerListName","AnswerListLinkType"',
    '"10002-9","Moonstone colour in Cave","LL9001-1","Colours","NORMATIVE"',
  ),
  'Loinc_9.01/AccessoryFiles/ComponentHierarchyBySystem/ComponentHierarchyBySystem.csv': lines(
    '"PATH_TO_ROOT","SEQUENCE","IMMEDIATE_PARENT","CODE","CODE_TEXT"',
    '"","1","","LP99999-9","Stones"',
    '"LP99999-9","1","LP99999-9","LP90001-1","Moonstone"',
    '"LP99999-9.LP90001-1","1","LP90001-1","10001-1","Moonst Cave"',
    '"LP99999-9.LP90001-1","2","LP90001-1","10002-9","Moonstone colour"',
    '"LP99999-9","3","LP99999-9","10002-9","Moonstone colour"',
    '"LP99999-9.LP90001-1","2","LP90001-1","10002-9","Moonstone colour"',
  ),
};

export const ICD_RELEASE: SmallRelease = {
  'icd-10-se.tsv': tabs(
    ['Kod', 'Giltig från', 'Överordnad kod', 'Titel', 'Latin', 'Beskrivning', 'Innefattar', 'Utesluter'],
    ['X00-X09', '1997-01-01', '', 'Sagosjukdomar', '', '', '', ''],
    ['X01', '1997-01-01', 'X00-X09', 'Trollfeber', 'Febris trollis', 'Feber efter möte med troll', 'Jättefeber', ''],
    ['X01', '', '', '', '', '', 'Vättefeber', 'Älvsjuka (X02)'],
    ['X01.1', '2020-01-01', 'X01', 'Trollfeber, "akut"', '', '', '', ''],
    ['X02', '1997-01-01', 'X00-X09', 'Älvsjuka', '', '', '', ''],
  ),
};

export const KVA_RELEASE: SmallRelease = {
  'kva/kka.tsv': tabs(['Kod', 'Överordnad kod', 'Titel'], ['Y', '', 'Trollkirurgi'], ['YAA00', 'Y', 'Svansklippning']),
  'kva/kma.tsv': tabs(['Kod', 'Överordnad kod', 'Titel', 'Anmärkning'], ['YZ001', 'Y', 'Samtal med troll', 'Ute']),
};

export const ATC_RELEASE: SmallRelease = {
  'atc.csv': lines(
    'ATC code;ATC level name;DDD;U;Adm.R;Note',
    'X;FAIRY SYSTEM;NA;NA;NA;NA',
    'X01;WINGS;;;;',
    'X01A;WING OILS;;;;',
    'X01AA;Plain wing oils;;;;',
    'X01AA01;dustol;2;ml;O;',
    'X01AA01;dustol;1;ml;P;slow',
  ),
};

/** ICF in ClaML: chapters, blocks and codes, in two languages. */
export const CLAML_RELEASE: SmallRelease = {
  'classification.xml': `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE ClaML SYSTEM "ClaML.dtd">
<ClaML version="2.0.0">
  <Meta name="lang" value="en"/>
  <Title name="FTC" date="2026-01-31" version="2026">Fairy tale classification</Title>
  <ClassKinds><ClassKind name="chapter"/><ClassKind name="category"/></ClassKinds>
  <UsageKinds><UsageKind name="aster" mark="*"/></UsageKinds>
  <RubricKinds>
    <RubricKind name="preferred"/><RubricKind name="definition"/><RubricKind name="inclusion"/><RubricKind name="exclusion"/>
  </RubricKinds>
  <Modifier code="M1"><SubClass code=".0"/><SubClass code=".1"/></Modifier>
  <ModifierClass modifier="M1" code=".0"><SuperClass code="M1"/>
    <Rubric kind="preferred"><Label xml:lang="en">by day</Label></Rubric></ModifierClass>
  <ModifierClass modifier="M1" code=".1"><SuperClass code="M1"/>
    <Rubric kind="preferred"><Label xml:lang="en">by night</Label></Rubric></ModifierClass>
  <Class code="t" kind="chapter">
    <SubClass code="t1"/><SubClass code="t2"/>
    <Rubric kind="preferred"><Label xml:lang="en">Trolls &amp; giants</Label><Label xml:lang="sv">Troll</Label></Rubric>
  </Class>
  <Class code="t1" kind="category" usage="aster">
    <SuperClass code="t"/><ModifiedBy code="M1"/>
    <Rubric kind="preferred"><Label xml:lang="en">Singing of trolls</Label></Rubric>
    <Rubric kind="definition"><Label xml:lang="en"><Para>Loud sounds.</Para><Para>Made by trolls.</Para></Label></Rubric>
    <Rubric kind="exclusion"><Label xml:lang="en">whispers <Reference code="t2">t2</Reference></Label></Rubric>
  </Class>
  <Class code="t2" kind="category">
    <SuperClass code="t"/><ModifiedBy code="M1"><ValidModifierClass code=".1"/></ModifiedBy>
    <Rubric kind="preferred"><Label xml:lang="en">Whispers</Label></Rubric>
    <Rubric kind="inclusion"><Label xml:lang="en">murmurs</Label></Rubric>
  </Class>
</ClaML>
`,
};
