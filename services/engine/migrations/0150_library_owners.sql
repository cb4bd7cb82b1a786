-- Whose an entry of the library is (docs/adr/0050): the organisation of its author. What has no row belongs to the whole system, as does all that
-- was there before, and administrators alone change it.
CREATE TABLE library_owner (
  item_guid uuid PRIMARY KEY,
  organisation uuid NOT NULL
);
