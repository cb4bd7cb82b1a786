-- Of a record whose identity is protected (docs/adr/0090): the users and organisations to whom its labels show it. Null: it is not protected.
ALTER TABLE patient_record ADD COLUMN protected_for uuid[];
