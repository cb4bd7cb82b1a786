-- Values that several search parameters have stand in the index once (docs/adr/0018): `mask` has a bit for each of the narrower parameters
-- whose value it is. What is stored already is brought into this form.
ALTER TABLE fhir_token ADD COLUMN mask smallint NOT NULL DEFAULT 0;
ALTER TABLE fhir_string ADD COLUMN mask smallint NOT NULL DEFAULT 0;
ALTER TABLE fhir_quantity ADD COLUMN mask smallint NOT NULL DEFAULT 0;

-- The keys of before, the keys under which the values stand from now on, and the bits (lib/fhir/search/shared-rows.ts).
CREATE TEMP TABLE shared_rows (was integer PRIMARY KEY, key integer NOT NULL, bit integer NOT NULL) ON COMMIT DROP;
INSERT INTO shared_rows (was, key, bit) VALUES
  (-1830679206, 570555307, 1), -- InsurancePlan.address-city
  (-735798615, 570555307, 2), -- InsurancePlan.address-country
  (-470602561, 570555307, 4), -- InsurancePlan.address-postalcode
  (-313684610, 570555307, 8), -- InsurancePlan.address-state
  (-515847006, 570555307, 0), -- InsurancePlan.address
  (-1711180112, -271169799, 1), -- Location.address-city
  (224909151, -271169799, 2), -- Location.address-country
  (-631516095, -271169799, 4), -- Location.address-postalcode
  (1099810736, -271169799, 8), -- Location.address-state
  (-296543000, -271169799, 0), -- Location.address
  (-1315790020, 1112085205, 1), -- Organization.address-city
  (1372273611, 1112085205, 2), -- Organization.address-country
  (-1154012811, 1112085205, 4), -- Organization.address-postalcode
  (-1154458252, 1112085205, 8), -- Organization.address-state
  (504036060, 1112085205, 0), -- Organization.address
  (1724988659, -1285371896, 0), -- Patient.name
  (78378968, 1049499233, 1), -- Patient.address-city
  (-1213719833, 1049499233, 2), -- Patient.address-country
  (905062361, 1049499233, 4), -- Patient.address-postalcode
  (-1202939000, 1049499233, 8), -- Patient.address-state
  (1444237456, 1049499233, 0), -- Patient.address
  (147360096, -1285371896, 1), -- Patient.family
  (2146706965, -1285371896, 2), -- Patient.given
  (-327584738, -856770034, 1), -- Person.family
  (-654195673, -856770034, 2), -- Person.given
  (-998351279, -856770034, 0), -- Person.name
  (1522264026, 987442731, 1), -- Person.address-city
  (62856745, 987442731, 2), -- Person.address-country
  (86651711, 987442731, 4), -- Person.address-postalcode
  (155223294, 987442731, 8), -- Person.address-state
  (-466853854, 987442731, 0), -- Person.address
  (362174670, -525471617, 0), -- Practitioner.name
  (-1264315867, 432409536, 1), -- Practitioner.address-city
  (117963832, 432409536, 2), -- Practitioner.address-country
  (254893744, 432409536, 4), -- Practitioner.address-postalcode
  (1459100471, 432409536, 8), -- Practitioner.address-state
  (520625515, 432409536, 0), -- Practitioner.address
  (794697393, -525471617, 1), -- Practitioner.family
  (951115054, -525471617, 2), -- Practitioner.given
  (-1793782827, -998250389, 1), -- RelatedPerson.family
  (-344722574, -998250389, 2), -- RelatedPerson.given
  (-1151195934, -998250389, 0), -- RelatedPerson.name
  (-1759977495, 1980309684, 1), -- RelatedPerson.address-city
  (355738684, 1980309684, 2), -- RelatedPerson.address-country
  (-1124320852, 1980309684, 4), -- RelatedPerson.address-postalcode
  (-586172269, 1980309684, 8), -- RelatedPerson.address-state
  (367434967, 1980309684, 0), -- RelatedPerson.address
  (-458159395, -122404542, 0), -- Observation.combo-code
  (1101942165, 593781274, 0), -- Observation.combo-data-absent-reason
  (-333529200, 1869075297, 0), -- Observation.combo-value-concept
  (667267554, -122404542, 2), -- Observation.component-code
  (696780726, 593781274, 2), -- Observation.component-data-absent-reason
  (-115097447, 1869075297, 2), -- Observation.component-value-concept
  (-1211196912, 593781274, 1), -- Observation.data-absent-reason
  (-742411753, 1869075297, 1), -- Observation.value-concept
  (-1555152208, -122404542, 1), -- Observation.code
  (1229859202, 374685612, 1), -- OrganizationAffiliation.email
  (-1970333114, 374685612, 2), -- OrganizationAffiliation.phone
  (-1822999281, 374685612, 0), -- OrganizationAffiliation.telecom
  (631003672, -1557463710, 1), -- Patient.email
  (-1033715220, -1557463710, 2), -- Patient.phone
  (-401771907, -1557463710, 0), -- Patient.telecom
  (868033654, 1742836784, 1), -- Person.email
  (-875076054, 1742836784, 2), -- Person.phone
  (238123323, 1742836784, 0), -- Person.telecom
  (-455651569, 810345135, 1), -- Practitioner.email
  (-190097673, 810345135, 2), -- Practitioner.phone
  (141016030, 810345135, 0), -- Practitioner.telecom
  (2046095931, 1312164635, 1), -- PractitionerRole.email
  (584707555, 1312164635, 2), -- PractitionerRole.phone
  (287303026, 1312164635, 0), -- PractitionerRole.telecom
  (2072225084, -2026052811, 0), -- Questionnaire.combo-code
  (-309318809, -2026052811, 4), -- Questionnaire.item-code
  (1372882833, -2026052811, 8), -- Questionnaire.questionnaire-code
  (353154747, -409854821, 1), -- RelatedPerson.email
  (-1108233629, -409854821, 2), -- RelatedPerson.phone
  (-1971028494, -409854821, 0), -- RelatedPerson.telecom
  (-1958851042, -994518865, 0), -- Observation.combo-code:text
  (-1480835610, 1923697815, 0), -- Observation.combo-data-absent-reason:text
  (1029678973, 453868722, 0), -- Observation.combo-value-concept:text
  (-1389759025, -994518865, 2), -- Observation.component-code:text
  (362924467, 1923697815, 2), -- Observation.component-data-absent-reason:text
  (-1702667686, 453868722, 2), -- Observation.component-value-concept:text
  (-1284729091, 1923697815, 1), -- Observation.data-absent-reason:text
  (-985630480, 453868722, 1), -- Observation.value-concept:text
  (287001373, -994518865, 1), -- Observation.code:text
  (-14626961, -795844919, 1), -- OrganizationAffiliation.email:text
  (-1508945885, -795844919, 2), -- OrganizationAffiliation.phone:text
  (1490562072, -795844919, 0), -- OrganizationAffiliation.telecom:text
  (2111779861, 63109199, 1), -- Patient.email:text
  (-239597687, 63109199, 2), -- Patient.phone:text
  (-443476418, 63109199, 0), -- Patient.telecom:text
  (-61719053, -747839587, 1), -- Person.email:text
  (2010755335, -747839587, 2), -- Person.phone:text
  (-1297380396, -747839587, 0), -- Person.telecom:text
  (-1335631336, -741197000, 1), -- Practitioner.email:text
  (-160462384, -741197000, 2), -- Practitioner.phone:text
  (-1063327445, -741197000, 0), -- Practitioner.telecom:text
  (-299911468, 648691508, 1), -- PractitionerRole.email:text
  (-1319015636, 648691508, 2), -- PractitionerRole.phone:text
  (666059711, 648691508, 0), -- PractitionerRole.telecom:text
  (1350865785, -2025250554, 0), -- Questionnaire.combo-code:text
  (461179168, -2025250554, 4), -- Questionnaire.item-code:text
  (-1920396030, -2025250554, 8), -- Questionnaire.questionnaire-code:text
  (-667294636, -349826124, 1), -- RelatedPerson.email:text
  (-1686398804, -349826124, 2), -- RelatedPerson.phone:text
  (18804031, -349826124, 0), -- RelatedPerson.telecom:text
  (1883905425, 2125253582, 0), -- Observation.combo-value-quantity
  (-1319585202, 2125253582, 2), -- Observation.component-value-quantity
  (-351404460, 2125253582, 1), -- Observation.value-quantity
  (1193495769, 1589736294, 0), -- Observation.combo-value-quantity:canonical
  (-582543898, 1589736294, 2), -- Observation.component-value-quantity:canonical
  (-483449092, 1589736294, 1); -- Observation.value-quantity:canonical

DROP INDEX fhir_token_value;
DROP INDEX fhir_string_value;
DROP INDEX fhir_quantity_low;

UPDATE fhir_token t SET param = s.key FROM shared_rows s WHERE s.bit = 0 AND t.param = s.was;
UPDATE fhir_string t SET param = s.key FROM shared_rows s WHERE s.bit = 0 AND t.param = s.was;
UPDATE fhir_quantity t SET param = s.key FROM shared_rows s WHERE s.bit = 0 AND t.param = s.was;

-- What the narrower parameters had goes, and comes as bits of the rows that have the same values.
CREATE TEMP TABLE narrow_token ON COMMIT DROP AS
  SELECT t.type, s.key, t.rid, t.system, t.code, bit_or(s.bit)::smallint AS mask
  FROM fhir_token t JOIN shared_rows s ON s.was = t.param WHERE s.bit > 0 GROUP BY 1, 2, 3, 4, 5;
CREATE TEMP TABLE narrow_string ON COMMIT DROP AS
  SELECT t.type, s.key, t.rid, t.value, t.exact, bit_or(s.bit)::smallint AS mask
  FROM fhir_string t JOIN shared_rows s ON s.was = t.param WHERE s.bit > 0 GROUP BY 1, 2, 3, 4, 5;
CREATE TEMP TABLE narrow_quantity ON COMMIT DROP AS
  SELECT t.type, s.key, t.rid, t.low, t.high, t.system, t.code, t.unit, bit_or(s.bit)::smallint AS mask
  FROM fhir_quantity t JOIN shared_rows s ON s.was = t.param WHERE s.bit > 0 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
ANALYZE narrow_token;
ANALYZE narrow_string;
ANALYZE narrow_quantity;

DELETE FROM fhir_token t USING shared_rows s WHERE s.was = t.param AND s.bit > 0;
DELETE FROM fhir_string t USING shared_rows s WHERE s.was = t.param AND s.bit > 0;
DELETE FROM fhir_quantity t USING shared_rows s WHERE s.was = t.param AND s.bit > 0;
DELETE FROM fhir_token t USING narrow_token n
  WHERE t.rid = n.rid AND t.type = n.type AND t.param = n.key AND t.system = n.system AND t.code = n.code;
DELETE FROM fhir_string t USING narrow_string n
  WHERE t.rid = n.rid AND t.type = n.type AND t.param = n.key AND t.value = n.value AND t.exact IS NOT DISTINCT FROM n.exact;
DELETE FROM fhir_quantity t USING narrow_quantity n
  WHERE t.rid = n.rid AND t.type = n.type AND t.param = n.key AND t.low = n.low AND t.high = n.high AND t.system = n.system
    AND t.code IS NOT DISTINCT FROM n.code AND t.unit IS NOT DISTINCT FROM n.unit;
INSERT INTO fhir_token (type, param, system, rid, code, mask) SELECT type, key, system, rid, code, mask FROM narrow_token;
INSERT INTO fhir_string (type, param, rid, value, exact, mask) SELECT type, key, rid, value, exact, mask FROM narrow_string;
INSERT INTO fhir_quantity (type, param, low, high, system, rid, code, unit, mask)
  SELECT type, key, low, high, system, rid, code, unit, mask FROM narrow_quantity;

CREATE INDEX fhir_token_value ON fhir_token (param, code, rid, system, mask);
CREATE INDEX fhir_string_value ON fhir_string (param, value, rid, mask);
CREATE INDEX fhir_quantity_low ON fhir_quantity (param, low, high, rid, system, code, unit, mask);
