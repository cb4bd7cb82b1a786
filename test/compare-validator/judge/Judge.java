// HL7's validator as a program that answers line by line: each line of the input is a resource in JSON, each line of the output a JSON list of
// what it finds. The engine is loaded once. Arguments: packages as name#version, the first of which is R5 itself; then the versions of the
// terminology and extension packages.
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.hl7.fhir.r5.elementmodel.Element;
import org.hl7.fhir.r5.elementmodel.Manager.FhirFormat;
import org.hl7.fhir.r5.model.ElementDefinition;
import org.hl7.fhir.r5.model.StructureDefinition;
import org.hl7.fhir.r5.utils.validation.IMessagingServices;
import org.hl7.fhir.r5.utils.validation.IResourceValidator;
import org.hl7.fhir.r5.utils.validation.constants.ReferenceValidationPolicy;
import org.hl7.fhir.utilities.validation.ValidationMessage;
import org.hl7.fhir.validation.ValidationEngine;
import org.hl7.fhir.validation.instance.InstanceValidator;
import org.hl7.fhir.validation.instance.advisor.BasePolicyAdvisorForFullValidation;

public class Judge {
  /** References need not lead anywhere, and no profile is checked that a resource does not claim. */
  private static class Policy extends BasePolicyAdvisorForFullValidation {
    Policy() {
      super(ReferenceValidationPolicy.CHECK_TYPE_IF_EXISTS, Set.of());
    }

    @Override
    public List<StructureDefinition> getImpliedProfilesForResource(IResourceValidator validator, Object context,
        String path, ElementDefinition definition, StructureDefinition structure, Element resource, boolean valid,
        IMessagingServices services, List<ValidationMessage> messages) {
      return new ArrayList<>();
    }
  }

  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err);
    ValidationEngine engine = load(arguments[0], arguments[1], arguments[2]);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      answers.println(judge(engine, line.getBytes(StandardCharsets.UTF_8)));
      answers.flush();
    }
    System.exit(0);
  }

  private static ValidationEngine load(String core, String terminology, String extensions) throws Exception {
    ValidationEngine engine = new ValidationEngine.ValidationEngineBuilder()
        .withVersion("5.0.0")
        .withThoVersion(terminology)
        .withExtensionsVersion(extensions)
        .withNoTerminologyServer()
        .withCanRunWithoutTerminologyServer(true)
        .fromSource(core);
    engine.getContext().setCanRunWithoutTerminology(true);
    engine.getContext().setNoTerminologyServer(true);
    engine.getIgLoader().loadIg(engine.getIgs(), engine.getBinaries(), "hl7.terminology.r5#" + terminology, false);
    engine.setPolicyAdvisor(new Policy());
    engine.prepare();
    return engine;
  }

  private static JsonArray judge(ValidationEngine engine, byte[] resource) {
    List<ValidationMessage> found = new ArrayList<>();
    JsonArray told = new JsonArray();
    try {
      InstanceValidator validator = engine.getValidator(FhirFormat.JSON);
      validator.setAssumeValidRestReferences(true);
      validator.setAllowExamples(true);
      validator.validate(null, found, new ByteArrayInputStream(resource), FhirFormat.JSON);
    } catch (Throwable error) {
      told.add(message("fatal", "crash", "", String.valueOf(error)));
    }
    for (ValidationMessage each : found) {
      told.add(message(each.getLevel().toCode(), each.getMessageId(), each.getLocation(), each.getMessage()));
    }
    return told;
  }

  private static JsonObject message(String level, String kind, String place, String text) {
    JsonObject message = new JsonObject();
    message.addProperty("level", level);
    message.addProperty("kind", kind == null ? "structure" : kind);
    message.addProperty("place", place);
    message.addProperty("text", text);
    return message;
  }
}
