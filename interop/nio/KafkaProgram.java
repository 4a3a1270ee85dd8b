import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's server, in a process of its own that is its controller, too; its clients here. */
class KafkaProgram {
  private static final int RECORDS = 20_000;
  private static final int OCTETS = 1024;

  public static void main(String[] arguments) throws Exception {
    String address = arguments[0];
    Path folder = Path.of("kafka").toAbsolutePath();
    Path settings = Files.createDirectories(folder).resolve("server.properties");
    Files.writeString(
        settings,
        """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@%1$s:9093
        listeners=PLAINTEXT://%1$s:9092,CONTROLLER://%1$s:9093
        controller.listener.names=CONTROLLER
        listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
        log.dirs=%2$s/data
        offsets.topic.replication.factor=1
        offsets.topic.num.partitions=1
        transaction.state.log.replication.factor=1
        transaction.state.log.min.isr=1
        group.initial.rebalance.delay.ms=0
        """
            .formatted(address, folder));
    int status =
        kafka.tools.StorageTool.execute(
            new String[] {"format", "-t", Uuid.randomUuid().toString(), "-c", settings.toString()}, System.err);
    if (status != 0) {
      throw new IllegalStateException("the storage could not be formatted");
    }
    Process server = serve(settings, folder);
    try {
      exchange(address);
    } finally {
      server.destroyForcibly().waitFor();
    }
  }

  private static Process serve(Path settings, Path folder) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "kafka.Kafka", settings.toString()));
    File log = folder.resolve("server.log").toFile();
    return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
  }

  private static void exchange(String address) throws Exception {
    Map<String, Object> server = Map.of("bootstrap.servers", address + ":9092");
    try (Admin admin = Admin.create(server)) {
      admin.createTopics(List.of(new NewTopic("numbers", 4, (short) 1))).all().get();
    }
    CRC32 sent = new CRC32();
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(server, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < RECORDS; i++) {
        byte[] octets = ByteBuffer.allocate(OCTETS).putInt(i).putInt(OCTETS - 4, i).array();
        sent.update(octets);
        producer.send(new ProducerRecord<>("numbers", octets));
      }
      producer.flush();
    }
    byte[][] got = new byte[RECORDS][];
    int count = 0;
    Map<String, Object> group = Map.of("bootstrap.servers", address + ":9092", "group.id", "all", "auto.offset.reset", "earliest");
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(group, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.subscribe(List.of("numbers"));
      while (count < RECORDS) {
        for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofSeconds(1))) {
          got[ByteBuffer.wrap(each.value()).getInt()] = each.value();
          count++;
        }
      }
    }
    CRC32 received = new CRC32();
    for (byte[] each : got) {
      received.update(each);
    }
    System.out.println(count + " records, " + (sent.getValue() == received.getValue() ? "same" : "others"));
  }
}
