package org.rddp.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** The poms have what Maven Central requires of a release, except signatures. */
class PomsTest {
  private static final Path ROOT = Path.of("..");
  private static final XPath XPATH = XPathFactory.newInstance().newXPath();

  private static Document pom(Path folder) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(folder.resolve("pom.xml").toFile());
  }

  private static String text(Document pom, String path) throws XPathExpressionException {
    return XPATH.evaluate(path, pom).strip();
  }

  private static List<String> texts(Document pom, String path) throws XPathExpressionException {
    NodeList nodes = (NodeList) XPATH.evaluate(path, pom, XPathConstants.NODESET);
    return IntStream.range(0, nodes.getLength())
        .mapToObj(i -> nodes.item(i).getTextContent())
        .toList();
  }

  static List<String> modules() throws Exception {
    return texts(pom(ROOT), "/project/modules/module");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "name",
        "description",
        "url",
        "licenses/license/name",
        "licenses/license/url",
        "developers/developer/name",
        "developers/developer/email",
        "scm/connection",
        "scm/url"
      })
  void shouldSayWhatAllModulesInherit(String element) throws Exception {
    assertThat(text(pom(ROOT), "/project/" + element)).isNotEmpty();
  }

  @ParameterizedTest
  @MethodSource("modules")
  void shouldDescribeEachModule(String module) throws Exception {
    Document pom = pom(ROOT.resolve(module));
    assertThat(text(pom, "/project/name")).isNotEmpty();
    assertThat(text(pom, "/project/description")).isNotEmpty();
  }

  /** The arrows in docs/architecture.md, those of tests too: the list begins at the bottom. */
  @ParameterizedTest
  @MethodSource("modules")
  void shouldDependOnlyOnModulesListedBefore(String module) throws Exception {
    List<String> all = modules();
    String dependencies = "/project/dependencies/dependency[groupId='org.rddp']/artifactId";
    assertThat(texts(pom(ROOT.resolve(module)), dependencies))
        .map(name -> name.replaceFirst("^rddp-", ""))
        .isSubsetOf(all.subList(0, all.indexOf(module)));
  }

  /** Whoever depends on the library depends on nothing else: Maven passes none of these on. */
  @Test
  void shouldGiveTheLibraryNoDependencies() throws Exception {
    Document pom = pom(ROOT.resolve("client"));
    assertThat(
            text(
                pom,
                "count(/project/dependencies/dependency[not(scope='provided' or scope='test')])"))
        .isEqualTo("0");
  }

  @Test
  void shouldAttachSourcesAndJavadocToTheLibrary() throws Exception {
    Document pom = pom(ROOT.resolve("client"));
    String goal =
        "/project/build/plugins/plugin[artifactId='maven-%s-plugin']/executions/execution/goals/goal";
    assertThat(text(pom, goal.formatted("source"))).isEqualTo("jar-no-fork");
    assertThat(text(pom, goal.formatted("javadoc"))).isEqualTo("jar");
  }
}
