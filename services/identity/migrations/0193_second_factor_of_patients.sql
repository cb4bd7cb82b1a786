-- Patients have a second factor of their own accord, too (docs/adr/0081).
ALTER TABLE app_user DROP CONSTRAINT app_user_second_factor,
  ADD CONSTRAINT app_user_second_factor CHECK (
    (second_factor_sealed IS NULL) = (second_factor_step IS NULL)
    AND (second_factor_sealed IS NULL) = (second_factor_since IS NULL)
  );
ALTER TABLE second_factor_setup DROP CONSTRAINT second_factor_setup_user_guid_fkey,
  ADD FOREIGN KEY (user_guid) REFERENCES app_user ON DELETE CASCADE;
ALTER TABLE recovery_code DROP CONSTRAINT recovery_code_user_guid_fkey,
  ADD FOREIGN KEY (user_guid) REFERENCES app_user ON DELETE CASCADE;
